import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState, type ComponentType } from 'react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Dialog } from './dialog.tsx'
import { lazyModal } from './lazy-modal.tsx'
import { toastStore } from './toast.ts'

interface ModalProps {
  onClose: () => void
}
type Load = () => Promise<ComponentType<ModalProps>>

const Share = ({ onClose }: ModalProps) => <Dialog title="Share" onClose={onClose} />
const Menu = ({ onClose }: ModalProps) => <Dialog title="Menu" onClose={onClose} />

/** Code that is loading until `arrive` is called. */
function slowConnection(modal: ComponentType<ModalProps>) {
  let arrived: (code: ComponentType<ModalProps>) => void
  const code = new Promise<ComponentType<ModalProps>>((resolve) => (arrived = resolve))
  return { load: () => code, arrive: () => act(async () => arrived(modal)) }
}

function opener(name: string, load: Load) {
  const Modal = lazyModal(load)
  return function Opener() {
    const [open, setOpen] = useState(false)
    return (
      <>
        <button onClick={() => setOpen(true)}>{name}</button>
        {open && <Modal onClose={() => setOpen(false)} />}
      </>
    )
  }
}

const press = (name: string) => userEvent.click(screen.getByRole('button', { name, hidden: true }))
const dialogs = () => screen.queryAllByRole('dialog', { hidden: true })

beforeEach(() => toastStore.set(null))
afterEach(() => vi.restoreAllMocks())

test('code that fails to load is reported at every press, and loaded again at the next', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const load = vi.fn<Load>().mockRejectedValue(new TypeError('Importing a module script failed.'))
  const Opener = opener('Open', load)
  render(<Opener />)
  for (const times of [1, 2]) {
    toastStore.set(null)
    await press('Open')
    await waitFor(() => expect(toastStore.snapshot()?.title).toBe('This part could not be loaded'))
    expect(load).toHaveBeenCalledTimes(times)
  }
  load.mockResolvedValue(Share)
  await press('Open')
  await screen.findByRole('dialog', { name: 'Share' })
})

test('of two that are pressed while their code is loading, only the later opens, with the focus', async () => {
  const share = slowConnection(Share)
  const menu = slowConnection(Menu)
  const [First, Second] = [opener('Share it', share.load), opener('Open the menu', menu.load)]
  render(
    <>
      <First />
      <Second />
    </>,
  )
  await press('Share it')
  await press('Open the menu')
  await share.arrive()
  await menu.arrive()
  const dialog = await screen.findByRole('dialog', { name: 'Menu' })
  expect(dialogs()).toHaveLength(1)
  await waitFor(() => expect(dialog.contains(document.activeElement)).toBe(true))
})

test.each([
  ['a press elsewhere', () => userEvent.click(document.body)],
  ['Escape', () => userEvent.keyboard('{Escape}')],
])('%s cancels what has not opened yet; pressed again, it opens', async (_case, cancel) => {
  const share = slowConnection(Share)
  const Opener = opener('Open', share.load)
  render(<Opener />)
  await press('Open')
  await cancel()
  await share.arrive()
  expect(dialogs()).toEqual([])
  await press('Open')
  await screen.findByRole('dialog', { name: 'Share' })
})

test('pressed twice, it opens; its spinner shows after a while, and goes when it opens', async () => {
  const share = slowConnection(Share)
  const Opener = opener('Open', share.load)
  render(<Opener />)
  await press('Open')
  expect(screen.queryByText('Opening')).toBeNull()
  await press('Open')
  await screen.findByText('Opening')
  await share.arrive()
  await screen.findByRole('dialog', { name: 'Share' })
  expect(screen.queryByText('Opening')).toBeNull()
})

test('once its code is loaded, it opens with the press', async () => {
  const Opener = opener('Open', async () => Share)
  const { unmount } = render(<Opener />)
  await press('Open')
  await screen.findByRole('dialog', { name: 'Share' })
  unmount()
  render(<Opener />)
  act(() => screen.getByRole('button', { name: 'Open' }).click())
  expect(dialogs()).toHaveLength(1)
})
