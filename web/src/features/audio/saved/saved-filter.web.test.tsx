import { aTeaching } from '@fellowship/schema/testing/builders'
import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { SavedFilter } from './saved-filter.tsx'
import { savedKnown, savedShelf } from './saved.ts'

const key = 'a'.repeat(64)
const holds = (...states: SavedRecording['state'][]) =>
  savedShelf.set({
    status: 'known',
    newest: 0,
    byKey: new Map(
      states.map((state, at) => {
        const { uid, ...words } = aTeaching({ uid: String(at) })
        return [
          `${key}${at}`,
          { ...words, teachingUid: uid, key, state, size: 1, bytes: 0 } as unknown as SavedRecording,
        ]
      }),
    ),
  })
beforeEach(savedKnown)

async function show(kind: 'saved' | 'new' | 'all') {
  const onManage = vi.fn()
  const root = createRootRoute()
  const library = createRoute({
    getParentRoute: () => root,
    path: '/teaching',
    component: () => <SavedFilter show={kind} onManage={onManage} />,
  })
  const history = createMemoryHistory({ initialEntries: ['/teaching?q=hope'] })
  const router = createRouter({ routeTree: root.addChildren([library]), history })
  render(<RouterProvider router={router as never} />)
  await screen.findByRole('navigation')
  return { onManage, address: () => router.state.location.href }
}
const links = () => screen.getAllByRole('link').map(({ textContent }) => textContent)
const isOnlyWide = () => screen.getByRole('navigation').className.includes('max-sm:hidden')

test.each([
  ['all', ['Saved (1)'], true],
  ['saved', ['All Teaching'], true],
  ['new', ['All Teaching', 'Saved (1)'], false],
] as const)('the list of %s teaching leads to the others', async (kind, others, manages) => {
  holds('ready', 'evicted')
  await show(kind)
  expect(links()).toEqual(others)
  expect(screen.queryByRole('button') !== null).toBe(manages)
  expect(isOnlyWide()).toBe(false)
})

test('keeps the search in the address', async () => {
  holds('ready')
  const { address } = await show('all')
  await userEvent.click(screen.getByRole('link', { name: 'Saved (1)' }))
  await waitFor(() => expect(address()).toContain('show=saved'))
  expect(address()).toContain('q=hope')
})

test('opens the sheet, and shows that something is being saved', async () => {
  holds('ready')
  const { onManage } = await show('all')
  await userEvent.click(screen.getByRole('button', { name: 'Manage saved teaching' }))
  expect(onManage).toHaveBeenCalledOnce()
  holds('ready', 'waiting')
  const button = await screen.findByRole('button', { name: 'Saving… Manage saved teaching' })
  expect(button.textContent).toBe('Saving…')
})

test.each([
  ['all', true],
  ['saved', false],
] as const)('a phone hides it beside %s if nothing is saved: %s', async (kind, hides) => {
  holds()
  await show(kind)
  expect(isOnlyWide()).toBe(hides)
})
