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
  // Imported only now, so that Headless UI has recorded no earlier press.
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

test('returns focus to its opener after a slow load', async () => {
  await openAndClose()
  await waitFor(() => expect(focused()).toBe('Open'))
})

test('does not take back a focus moved after closing', async () => {
  await openAndClose()
  screen.getByRole('textbox', { name: 'Name' }).focus()
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(focused()).toBe('Name')
})

test('makes the page behind inert each time it opens', async () => {
  const { Modal } = await import('./modal.tsx')
  const modal = (name: string) => (
    <Modal key={name} aria-label={name} onClose={() => undefined}>
      <button type="button">Remove</button>
    </Modal>
  )
  const { container, rerender } = render(page())
  const opener = screen.getByRole('button', { name: 'Open' })
  opener.focus()
  for (const name of ['Menu', 'Saved teaching']) {
    rerender(page(modal(name)))
    expect(container.inert).toBe(true)
    rerender(page())
    expect(container.inert).toBe(false)
    await waitFor(() => expect(document.activeElement).toBe(opener))
  }
  rerender(page(modal('Saved teaching')))
  rerender(page(modal('Remove it?')))
  await waitFor(() => expect(focused()).toBe('Remove it?'))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(focused()).toBe('Remove it?')
  expect(container.inert).toBe(true)
})

test('closes at the back gesture and stops listening', async () => {
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
