import type { TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import { aTeaching } from '@fellowship/schema/testing/builders'
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { BrowsePanel } from './browse-panel.tsx'

const rows = [aTeaching({ speaker: 'Hēmi O’Brien', scriptureReference: '1 Samuel 3:1-10' })]
const open = { book: null, speaker: null, year: null }

/** Links render only inside a router. */
async function shown(filter: TeachingFilter) {
  const root = createRootRoute({
    component: () => <BrowsePanel rows={rows} filter={filter} onFilter={() => undefined} />,
  })
  const splat = createRoute({ getParentRoute: () => root, path: '/$' })
  const history = createMemoryHistory({ initialEntries: ['/teaching'] })
  render(<RouterProvider router={createRouter({ routeTree: root.addChildren([splat]), history }) as never} />)
  await screen.findByText('Speaker')
  return screen.queryAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])
}
const lists = [
  ['Speakers', '/speakers'],
  ['Books of the Bible', '/books'],
  ['Series', '/series'],
]

test.each([null, '…'])('offers only the lists if the chosen speaker is %j', async (speaker) =>
  expect(await shown({ ...open, speaker })).toEqual(lists),
)

test('offers the pages of the chosen speaker and book', async () =>
  expect(await shown({ ...open, book: '1 Samuel', speaker: 'Hēmi O’Brien' })).toEqual([
    ['All teaching on 1 Samuel', '/books/1-samuel'],
    ['All teaching by Hēmi O’Brien', '/speakers/hemi-obrien'],
    ...lists,
  ]))
