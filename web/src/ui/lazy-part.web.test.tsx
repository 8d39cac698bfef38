import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { lazy, useState } from 'react'
import { expect, test, vi } from 'vitest'
import { LazyPart } from './lazy-part.tsx'

const Missing = lazy<() => null>(() => Promise.reject(new TypeError('Failed to fetch a module')))

test('reports a part that fails to load at every attempt, not only at the first', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  const failed = vi.fn()
  render(<Page />)
  for (const times of [1, 2]) {
    await userEvent.click(screen.getByRole('button', { name: 'Open', expanded: false }))
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(times))
    expect(await screen.findByRole('button', { name: 'Open', expanded: false })).toBeTruthy()
  }

  function Page() {
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
        <LazyPart onFailed={close}>{open && <Missing />}</LazyPart>
      </>
    )
  }
})
