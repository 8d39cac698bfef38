import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { act, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ErrorPage } from './error-page.tsx'

test('a page that is missing offline opens once online', async () => {
  for (const kind of ['error', 'warn'] as const) vi.spyOn(console, kind).mockImplementation(() => undefined)
  const online = vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  const load = vi.fn(async () => undefined)
  load.mockRejectedValueOnce(new TypeError('Importing a module script failed.'))
  const root = createRootRoute()
  const about = createRoute({
    getParentRoute: () => root,
    path: '/',
    loader: load,
    component: () => <h1>Who We Are</h1>,
    errorComponent: ErrorPage,
  })
  const router = createRouter({
    routeTree: root.addChildren([about]),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  })
  render(<RouterProvider router={router as never} />)
  await screen.findByRole('heading', { name: 'No connection' })
  expect(load).toHaveBeenCalledOnce()
  online.mockReturnValue(true)
  act(() => void window.dispatchEvent(new Event('online')))
  await screen.findByRole('heading', { name: 'Who We Are' })
})
