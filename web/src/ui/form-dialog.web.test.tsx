import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { isPageHeld } from '../lib/busy.ts'
import { FormDialog } from './form-dialog.tsx'

function show(state: { pending?: boolean; problem?: Error } = {}) {
  const onClose = vi.fn()
  const onSubmit = vi.fn(async (event: { preventDefault: () => void }) => event.preventDefault())
  const { unmount } = render(
    <FormDialog
      title="Edit"
      onSubmit={onSubmit}
      onClose={onClose}
      submitLabel="Save"
      pending={state.pending ?? false}
      pendingLabel="Saving..."
      problem={state.problem ?? null}
    >
      <input aria-label="Name" />
    </FormDialog>,
  )
  return { onClose, onSubmit, unmount }
}

test('submits by Enter in a field and by its button, and closes by Cancel', async () => {
  const { onClose, onSubmit } = show()
  await userEvent.type(screen.getByLabelText('Name'), 'Anna{Enter}')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  expect(onSubmit).toHaveBeenCalledTimes(2)
  await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
  expect(onClose).toHaveBeenCalledOnce()
})

test('cannot be closed or submitted while it is pending', async () => {
  const { onClose, onSubmit } = show({ pending: true })
  await userEvent.click(screen.getByRole('button', { name: 'Saving...' }))
  await userEvent.keyboard('{Escape}')
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Cancel' }).disabled).toBe(true)
  expect(screen.queryByRole('button', { name: 'Close' })).toBeNull()
  expect(onClose).not.toHaveBeenCalled()
  expect(onSubmit).not.toHaveBeenCalled()
})

test('shows why the last try failed', () => {
  show({ problem: new Error('The name is taken.') })
  expect(screen.getByText('The name is taken.')).toBeTruthy()
})

test('holds the page against updates while it is open', () => {
  const { unmount } = show()
  expect(isPageHeld()).toBe(true)
  unmount()
  expect(isPageHeld()).toBe(false)
})
