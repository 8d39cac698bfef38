import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { Component, startTransition, useState, type ComponentType, type ReactNode } from 'react'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { Dialog } from './dialog.tsx'
import { asDialog, inPage, lazyPart } from './lazy-part.tsx'
import { toastStore } from './toast.ts'

const missing = new TypeError('Failed to fetch dynamically imported module: /assets/part.js')
/** React reports errors that a boundary caught. */
const expectReports = () => vi.spyOn(console, 'error').mockImplementation(() => undefined)

/** The part that `load` resolves to. */
const partOf = <Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  options?: Parameters<typeof lazyPart<{ Part: ComponentType<Props> }, 'Part', Props>>[2],
) =>
  lazyPart<{ Part: ComponentType<Props> }, 'Part', Props>(
    async () => ({ Part: await load() }),
    'Part',
    options,
  )

beforeEach(() => toastStore.set(null))
afterEach(() => vi.restoreAllMocks())

describe('in a page', () => {
  const button = (expanded: boolean) => screen.findByRole('button', { name: 'Open', expanded })

  function opener(load: () => Promise<ComponentType>, failed = () => undefined as void) {
    const Part = partOf(load)
    return function Page() {
      const [open, setOpen] = useState(false)
      const close = () => {
        failed()
        setOpen(false)
      }
      return (
        <>
          <button aria-expanded={open} onClick={() => setOpen(true)}>
            Open
          </button>
          {open && <Part onFailed={close} />}
        </>
      )
    }
  }

  test('reports a failed load at every attempt', async () => {
    expectReports()
    const failed = vi.fn()
    const Page = opener(() => Promise.reject(missing), failed)
    render(<Page />)
    for (const times of [1, 2]) {
      await userEvent.click(await button(false))
      await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(times))
      expect(await button(false)).toBeTruthy()
    }
  })

  const Faulty = () => {
    throw new Error('The date is unreadable.')
  }
  const faulty = async (): Promise<ComponentType> => Faulty

  test.each([
    ['reports a fault of the part while online', true, faulty, 'This part could not be shown'],
    ['reports a fault of the part while offline', false, faulty, 'This part could not be shown'],
    ['reports a part that is missing', true, () => Promise.reject(missing), 'This part could not be loaded'],
    ['reports a lost connection', false, () => Promise.reject(missing), 'No connection'],
  ])('%s', async (_case, isOnline, load, title) => {
    expectReports()
    vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
    const Page = opener(load)
    render(<Page />)
    await userEvent.click(await button(false))
    await vi.waitFor(() => expect(toastStore.snapshot()?.title).toBe(title))
    if (title === 'This part could not be shown')
      expect(toastStore.snapshot()?.description).toContain('The date is unreadable.')
  })

  test('a part that may be absent fails silently', async () => {
    const load = vi.fn(() => Promise.reject(missing))
    const Part = partOf<object>(load, { failure: 'ignore' })
    render(<Part />)
    await act(async () => undefined)
    expect(load).toHaveBeenCalledOnce()
    expect(toastStore.snapshot()).toBeNull()
    expect(document.body.textContent).toBe('')
  })

  test('a page in a page fails with the page', async () => {
    expectReports()
    class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
      override state = { failed: false }
      static getDerivedStateFromError = () => ({ failed: true })
      override render = () => (this.state.failed ? <p>It failed</p> : this.props.children)
    }
    const Tab = partOf<object>(() => Promise.reject(missing), inPage)
    render(
      <Boundary>
        <Tab />
      </Boundary>,
    )
    screen.getByText('Loading')
    await screen.findByText('It failed')
  })

  test('code that never arrives holds up no other transition', async () => {
    const Never = partOf<object>(() => new Promise<never>(() => undefined))
    let show: () => void
    function Page() {
      const [shown, setShown] = useState(false)
      show = () => startTransition(() => setShown(true))
      return (
        <>
          {shown && <Never />}
          {shown && <p>A message</p>}
        </>
      )
    }
    render(<Page />)
    await act(async () => show())
    expect(screen.getByText('A message')).toBeTruthy()
  })
})

describe('a dialog', () => {
  interface DialogProps {
    onClose: () => void
  }
  type Load = () => Promise<ComponentType<DialogProps>>

  const Share = ({ onClose }: DialogProps) => <Dialog title="Share" onClose={onClose} />
  const Menu = ({ onClose }: DialogProps) => <Dialog title="Menu" onClose={onClose} />

  /** Code that is loading until `arrive` is called. */
  function slowConnection(dialog: ComponentType<DialogProps>) {
    let arrived: (code: ComponentType<DialogProps>) => void
    const code = new Promise<ComponentType<DialogProps>>((resolve) => (arrived = resolve))
    return { load: () => code, arrive: () => act(async () => arrived(dialog)) }
  }

  function opener(name: string, load: Load) {
    const Part = partOf(load, asDialog)
    return function Opener() {
      const [open, setOpen] = useState(false)
      return (
        <>
          <button onClick={() => setOpen(true)}>{name}</button>
          {open && <Part onClose={() => setOpen(false)} />}
        </>
      )
    }
  }

  const press = (name: string) => userEvent.click(screen.getByRole('button', { name, hidden: true }))
  const dialogs = () => screen.queryAllByRole('dialog', { hidden: true })

  test('reports a failure, then loads at the next press', async () => {
    expectReports()
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

  test('only the later of two loading dialogs opens', async () => {
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
  ])('%s cancels a dialog that is loading', async (_case, cancel) => {
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

  test('a spinner shows after a while until the dialog opens', async () => {
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

  test('opens with the press once its code is loaded', async () => {
    const Opener = opener('Open', async () => Share)
    const { unmount } = render(<Opener />)
    await press('Open')
    await screen.findByRole('dialog', { name: 'Share' })
    unmount()
    render(<Opener />)
    act(() => screen.getByRole('button', { name: 'Open' }).click())
    expect(dialogs()).toHaveLength(1)
  })
})
