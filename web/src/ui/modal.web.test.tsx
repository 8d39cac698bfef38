import { render, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test } from 'vitest'

const focused = () => document.activeElement?.getAttribute('aria-label')

const page = (modal?: ReactNode) => (
  <>
    <button type="button" aria-label="Open" />
    <input aria-label="Name" />
    {modal}
  </>
)

/** A button is pressed, the code of modals comes, the modal opens and closes. */
async function openAndClose(): Promise<void> {
  const { rerender } = render(page())
  screen.getByRole('button', { name: 'Open' }).focus()
  // Not loaded before: Headless UI knows of no earlier press.
  const { Modal } = await import('./modal.tsx')
  const modal = (
    <Modal aria-label="Menu" onClose={() => undefined}>
      Links
    </Modal>
  )
  rerender(page(modal))
  await waitFor(() => expect(focused()).toBe('Menu'))
  rerender(page())
}

test('returns the focus to what opened it, also where its code has come after the press', async () => {
  await openAndClose()
  await waitFor(() => expect(focused()).toBe('Open'))
})

test('leaves the focus to what takes it after the closing', async () => {
  await openAndClose()
  screen.getByRole('textbox', { name: 'Name' }).focus()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(focused()).toBe('Name')
})
