import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { Button } from './button.tsx'

test('a pending button keeps focus and ignores presses', async () => {
  const onClick = vi.fn()
  const button = (pending: boolean) => (
    <Button pending={pending} pendingLabel="Saving..." onClick={onClick}>
      Save
    </Button>
  )
  const { rerender } = render(button(false))
  await userEvent.tab()
  await userEvent.keyboard('{Enter}')
  expect(onClick).toHaveBeenCalledTimes(1)

  rerender(button(true))
  const pressed = screen.getByRole('button', { name: 'Saving...' })
  // Browsers take the focus from a disabled button.
  expect(pressed.matches(':disabled')).toBe(false)
  expect(pressed.getAttribute('aria-disabled')).toBe('true')
  await userEvent.keyboard('{Enter}')
  await userEvent.click(pressed)
  expect(onClick).toHaveBeenCalledTimes(1)
})

test('a pending submit button does not submit again', async () => {
  const onSubmit = vi.fn((event: { preventDefault: () => void }) => event.preventDefault())
  render(
    <form onSubmit={onSubmit}>
      <input aria-label="Name" />
      <Button type="submit" pending>
        Save
      </Button>
    </form>,
  )
  await userEvent.type(screen.getByLabelText('Name'), 'Anna{Enter}')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(onSubmit).not.toHaveBeenCalled()
})
