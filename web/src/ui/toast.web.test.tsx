import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { lazy, startTransition, Suspense, useEffect, useState } from 'react'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { makeStore } from '../lib/lazy-store.ts'
import { dismissToast, showToast, toastStore, toastTimings } from './toast.ts'
import { Toaster } from './toaster.tsx'

const show = (title: string) => act(() => showToast({ title }))

describe('toasts', () => {
  test('a new toast replaces the older one', async () => {
    render(<Toaster />)
    show('Sync Failed')
    expect(await screen.findByText('Sync Failed')).toBeTruthy()
    show('Cache Synchronized')
    expect(await screen.findByText('Cache Synchronized')).toBeTruthy()
    expect(screen.queryByText('Sync Failed')).toBeNull()
  })

  test('F8 focuses a toast and its button closes it', async () => {
    render(<Toaster />)
    show('Teaching Deleted')
    await screen.findByText('Teaching Deleted')
    await userEvent.keyboard('{F8}')
    expect(document.activeElement?.contains(screen.getByText('Teaching Deleted'))).toBe(true)
    await userEvent.click(screen.getByRole('button', { name: 'Close this message' }))
    await waitFor(() => expect(screen.queryByText('Teaching Deleted')).toBeNull())
  })

  test.each([
    ['reached by F8', () => userEvent.keyboard('{F8}')],
    ['pressed', () => Promise.resolve()],
  ])('closed by its button, %s, it returns the focus', async (_case, reach) => {
    const { Dialog } = await import('./dialog.tsx')
    render(
      <>
        <Dialog title="Share" onClose={() => undefined}>
          <input aria-label="Link" />
        </Dialog>
        <Toaster />
      </>,
    )
    await waitFor(() => expect(screen.getByRole('dialog').contains(document.activeElement)).toBe(true))
    screen.getByRole('textbox', { name: 'Link' }).focus()
    show('Copied')
    await screen.findByText('Copied')
    await reach()
    await userEvent.click(screen.getByRole('button', { name: 'Close this message' }))
    await waitFor(() => expect(screen.queryByText('Copied')).toBeNull())
    await waitFor(() => expect(document.activeElement?.getAttribute('aria-label')).toBe('Link'))
    expect(screen.queryByRole('dialog')).toBeTruthy()
  })

  test('moves to the other edge from the control in use', async () => {
    const places: Record<string, [top: number, height: number]> = {
      High: [100, 44],
      Low: [innerHeight - 60, 44],
    }
    vi.spyOn(Element.prototype, 'getBoundingClientRect').mockImplementation(function (this: Element) {
      const [top, height] = places[this.getAttribute('aria-label') ?? ''] ?? [innerHeight - 90, 90]
      return new DOMRect(0, top, innerWidth, height)
    })
    render(
      <>
        <input aria-label="High" />
        <input aria-label="Low" />
        <Toaster />
      </>,
    )
    show('Saved')
    await screen.findByText('Saved')
    const edge = () => document.querySelector('#toasts [data-edge]')!.getAttribute('data-edge')
    expect(edge()).toBe('bottom')
    act(() => screen.getByRole('textbox', { name: 'Low' }).focus())
    await waitFor(() => expect(edge()).toBe('top'))
    act(() => screen.getByRole('textbox', { name: 'High' }).focus())
    await waitFor(() => expect(edge()).toBe('bottom'))
  })

  test('focus moved by its action stays', async () => {
    render(
      <>
        <input aria-label="Link" />
        <input aria-label="Opened" />
        <Toaster />
      </>,
    )
    screen.getByRole('textbox', { name: 'Link' }).focus()
    const onPress = () => screen.getByRole('textbox', { name: 'Opened' }).focus()
    // As a dialog does, once it is rendered.
    act(() =>
      showToast({ title: 'Deleted', action: { label: 'Undo', onPress: () => queueMicrotask(onPress) } }),
    )
    await userEvent.click(await screen.findByRole('button', { name: 'Undo' }))
    await waitFor(() => expect(screen.queryByText('Deleted')).toBeNull())
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(document.activeElement?.getAttribute('aria-label')).toBe('Opened')
  })

  test('a toast that times out leaves the focus alone', async () => {
    render(
      <>
        <input aria-label="Link" />
        <Toaster />
      </>,
    )
    screen.getByRole('textbox').focus()
    show('First')
    await screen.findByText('First')
    await userEvent.click(screen.getByRole('button', { name: 'Close this message' }))
    await waitFor(() => expect(document.activeElement).toBe(screen.getByRole('textbox')))
    screen.getByRole('textbox').blur()
    show('Second')
    await screen.findByText('Second')
    act(() => dismissToast(toastStore.snapshot()!.id))
    await waitFor(() => expect(screen.queryByText('Second')).toBeNull())
    await new Promise((resolve) => setTimeout(resolve, 20))
    expect(document.activeElement).toBe(document.body)
  })

  test('its display time begins when it is rendered', async () => {
    await import('./toast-viewport.tsx')
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    let goOn: () => void
    const code = new Promise<{ default: () => null }>(
      (resolve) => (goOn = () => resolve({ default: () => null })),
    )
    const Slow = lazy(() => code)
    const holding = makeStore(false)
    /** Components that wait for their code in a transition delay every other transition. */
    function Holding() {
      const [held, setHeld] = useState(false)
      useEffect(() => holding.subscribe(() => startTransition(() => setHeld(true))), [])
      return <Suspense>{held && <Slow />}</Suspense>
    }
    render(
      <>
        <Holding />
        <Toaster />
      </>,
    )
    await act(async () => holding.set(true))
    await act(async () => showToast({ title: 'Saved' }))
    const passes = (ms: number) => act(async () => void vi.advanceTimersByTime(ms))
    await passes(2 * toastTimings.displayMs)
    expect(screen.queryByText('Saved')).toBeNull()
    await act(async () => goOn())
    expect(screen.getByText('Saved')).toBeTruthy()
    await passes(toastTimings.displayMs - 1)
    expect(toastStore.snapshot()).toMatchObject({ title: 'Saved', open: true })
    await passes(1)
    expect(toastStore.snapshot()).toMatchObject({ title: 'Saved', open: false })
  })

  test('removes a closed toast after 1,000,000 ms unless replaced', () => {
    vi.useFakeTimers()
    showToast({ title: 'Gone' })
    dismissToast(toastStore.snapshot()!.id)
    vi.advanceTimersByTime(toastTimings.removalMs - 1)
    expect(toastStore.snapshot()).toMatchObject({ title: 'Gone', open: false })
    vi.advanceTimersByTime(1)
    expect(toastStore.snapshot()).toBeNull()
    showToast({ title: 'First' })
    dismissToast(toastStore.snapshot()!.id)
    showToast({ title: 'Second' })
    vi.advanceTimersByTime(toastTimings.removalMs)
    expect(toastStore.snapshot()).toMatchObject({ title: 'Second', open: true })
    vi.useRealTimers()
  })
})
