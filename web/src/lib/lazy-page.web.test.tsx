import { act, render, screen } from '@testing-library/react'
import { Component, Suspense, type ReactNode } from 'react'
import { beforeEach, expect, test, vi } from 'vitest'
import { lazyPage } from './lazy-page.tsx'

const load = vi.fn<() => Promise<{ Page: () => ReactNode }>>()
beforeEach(() => void load.mockReset())
const arrives = () => load.mockResolvedValueOnce({ Page: () => <p>The page</p> })
const fails = () => load.mockRejectedValueOnce(new TypeError('Importing a module script failed.'))

class Boundary extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false }
  static getDerivedStateFromError = () => ({ failed: true })
  override render = () => (this.state.failed ? <p>It failed</p> : this.props.children)
}

test('a render after a failed load throws without loading again', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  load.mockRejectedValue(new TypeError('Importing a module script failed.'))
  const Page = lazyPage(load, 'Page')
  // React waits for suspended components in an async act only.
  await act(async () => {
    render(
      <Boundary>
        <Suspense>
          <Page />
        </Suspense>
      </Boundary>,
    )
  })
  screen.getByText('It failed')
  expect(load).toHaveBeenCalledOnce()
})

test('rejects a failed load, then loads at the next call', async () => {
  const Page = lazyPage(load, 'Page')
  fails()
  await expect(Page.loadCode()).rejects.toThrow('Importing')
  fails()
  await Page.preload()
  arrives()
  await Promise.all([Page.preload(), Page.loadCode()])
  render(<Page />)
  screen.getByText('The page')
  await Page.loadCode()
  expect(Page.preload()).toBeUndefined()
  expect(load).toHaveBeenCalledTimes(3)
})

test('loads when it renders before the router preloads it', async () => {
  arrives()
  const Page = lazyPage(load, 'Page')
  await act(async () => {
    render(
      <Suspense>
        <Page />
      </Suspense>,
    )
  })
  screen.getByText('The page')
})
