import { render, screen, waitFor } from '@testing-library/react'
import type { ReactNode } from 'react'
import { expect, test, vi } from 'vitest'

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

test('is closed by the back gesture where the browser tells of it, and listens no longer than it is open', async () => {
  const watchers: EventTarget[] = []
  const destroy = vi.fn()
  class CloseWatcher extends EventTarget {
    destroy = destroy
    constructor() {
      super()
      watchers.push(this)
    }
  }
  vi.stubGlobal('CloseWatcher', CloseWatcher)
  const { Modal } = await import('./modal.tsx')
  const [onClose, later] = [vi.fn(), vi.fn()]
  const modal = (close: () => void) => (
    <Modal aria-label="Menu" onClose={close}>
      Links
    </Modal>
  )
  const { rerender } = render(modal(onClose))
  rerender(modal(later))
  expect(watchers).toHaveLength(1)
  watchers[0]!.dispatchEvent(new Event('close'))
  expect(onClose).not.toHaveBeenCalled()
  expect(later).toHaveBeenCalledOnce()
  rerender(<></>)
  expect(destroy).toHaveBeenCalledOnce()
  vi.unstubAllGlobals()
})
