import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { lazy, useState, type ReactNode } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { LazyPart } from './lazy-part.tsx'
import { toastStore } from './toast.ts'

afterEach(() => vi.restoreAllMocks())

const Missing = lazy<() => null>(() =>
  Promise.reject(new TypeError('Failed to fetch dynamically imported module: /assets/part.js')),
)
const Faulty = () => {
  throw new Error('The date is unreadable.')
}

/** React reports what a boundary caught. */
const expectReports = () => vi.spyOn(console, 'error').mockImplementation(() => undefined)
const button = (expanded: boolean) => screen.findByRole('button', { name: 'Open', expanded })

function Page({ failed = () => undefined, part }: { failed?: () => void; part: ReactNode }) {
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
      <LazyPart onFailed={close}>{open && part}</LazyPart>
    </>
  )
}

test('reports a part that fails to load at every attempt, not only at the first', async () => {
  expectReports()
  const failed = vi.fn()
  render(<Page failed={failed} part={<Missing />} />)
  for (const times of [1, 2]) {
    await userEvent.click(await button(false))
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(times))
    expect(await button(false)).toBeTruthy()
  }
})

test.each([
  ['a fault of the part is not called a lost connection', true, Faulty, 'This part could not be shown'],
  ['nor is it without a connection', false, Faulty, 'This part could not be shown'],
  ['a part that does not come while online', true, Missing, 'This part could not be loaded'],
  ['a part that does not come while offline', false, Missing, 'No connection'],
])('%s', async (_case, isOnline, Part, title) => {
  expectReports()
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(isOnline)
  toastStore.set(null)
  render(<Page part={<Part />} />)
  await userEvent.click(await button(false))
  await vi.waitFor(() => expect(toastStore.snapshot()?.title).toBe(title))
  if (title === 'This part could not be shown')
    expect(toastStore.snapshot()?.description).toContain('The date is unreadable.')
})
