import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { isPageHeld } from '../lib/busy.ts'
import { FormDialog } from './form-dialog.tsx'

function show(state: { pending?: boolean; problem?: Error; dirty?: boolean } = {}) {
  const onClose = vi.fn()
  const onSubmit = vi.fn(async (event: { preventDefault: () => void }) => event.preventDefault())
  const { unmount } = render(
    <FormDialog
      title="Edit"
      onSubmit={onSubmit}
      onClose={onClose}
      dirty={state.dirty ?? false}
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

const asksBeforeLeaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))
const question = () => screen.queryByRole('dialog', { name: 'Discard changes?' })
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
/** Beside the dialog's box. */
const pressOutside = () => userEvent.click(document.querySelector('[id^="headlessui-dialog-panel"]')!)

test('a changed form ignores presses beside it', async () => {
  const { onClose, unmount } = show({ dirty: true })
  await pressOutside()
  expect(onClose).not.toHaveBeenCalled()
  expect(question()).toBeNull()
  expect(asksBeforeLeaving()).toBe(true)
  unmount()
  expect(asksBeforeLeaving()).toBe(false)
})

test.each([
  ['Escape', () => userEvent.keyboard('{Escape}')],
  ['Cancel', () => press('Cancel')],
  ['its cross', () => press('Close')],
])('a changed form asks before %s, and Discard closes it', async (_way, close) => {
  const { onClose } = show({ dirty: true })
  await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
  const name = screen.getByLabelText<HTMLInputElement>('Name')
  await userEvent.type(name, 'Anna')
  await close()
  await waitFor(() => expect(document.activeElement?.textContent).toBe('Keep editing'))
  await press('Keep editing')
  expect(question()).toBeNull()
  expect(name.isConnected && name.value).toBe('Anna')
  await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
  await close()
  expect(onClose).not.toHaveBeenCalled()
  await press('Discard')
  expect(onClose).toHaveBeenCalledOnce()
})

test('the back gesture asks before it discards changes', async () => {
  const watchers: { isSpent: boolean; watcher: EventTarget }[] = []
  class CloseWatcher extends EventTarget {
    constructor() {
      super()
      const own = { isSpent: false, watcher: this }
      this.destroy = () => void (own.isSpent = true)
      this.addEventListener('close', this.destroy)
      watchers.push(own)
    }
    destroy: () => void
  }
  vi.stubGlobal('CloseWatcher', CloseWatcher)
  const back = () =>
    act(() => watchers.findLast(({ isSpent }) => !isSpent)!.watcher.dispatchEvent(new Event('close')))
  const { onClose } = show({ dirty: true })
  for (let times = 0; times < 2; times++) {
    void back()
    await waitFor(() => expect(question()).toBeTruthy())
    void back()
    await waitFor(() => expect(question()).toBeNull())
  }
  expect(onClose).not.toHaveBeenCalled()
  vi.unstubAllGlobals()
})

test('an untouched form closes at a press beside it', async () => {
  const { onClose } = show()
  await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
  const beside = document.querySelector('[id^="headlessui-dialog-panel"]')!
  fireEvent.pointerDown(screen.getByLabelText('Name'))
  fireEvent.click(beside)
  expect(onClose).not.toHaveBeenCalled()
  expect(asksBeforeLeaving()).toBe(false)
  await pressOutside()
  expect(onClose).toHaveBeenCalledOnce()
})

test('submits by Enter or its button, closes by Cancel', async () => {
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
