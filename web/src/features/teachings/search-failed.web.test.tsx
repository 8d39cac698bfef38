import { aTeaching } from '@fellowship/schema/testing/builders'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { renderFrom } from '../../boot/prerender-data.ts'
import { testServer } from '../../testing/test-server.ts'
import { openFilters } from './library.ts'
import { TeachingLibrary } from './teaching-library.tsx'

const uid = (n: number) => `6f1c1f0e-2b7a-4c58-a1de-00000000000${n}`
const rows: Teaching[] = [
  aTeaching({ id: 2, uid: uid(2), title: 'Hope in Christ' }),
  // A row as a damaged browser database returns it.
  { ...aTeaching({ id: 1, uid: uid(1) }), title: undefined as unknown as string },
]

function Page() {
  const [filters, setFilters] = useState(openFilters)
  const [library, setLibrary] = useState({ status: 'ready' as const, rows })
  return (
    <TeachingLibrary
      library={library}
      filters={filters}
      onFilters={(change) => setFilters((before) => ({ ...before, ...change }))}
      onRetry={() => setLibrary({ status: 'ready', rows: [...rows] })}
      row={({ title }) => <li>{title}</li>}
    />
  )
}

const search = (text: string) => userEvent.type(screen.getByRole('searchbox'), text)
const heading = (name: string) => screen.findByRole('heading', { level: 2, name })

test('the server searches rows that this device cannot index', async () => {
  const received = await testServer({ 'GET /api/teachings/search?q=hope': () => ({ body: [rows[0]] }) })
  render(<Page />)
  await search('hope')
  await heading('Search Results (1)')
  expect(screen.getByText('Hope in Christ')).toBeTruthy()
  expect(received.map(({ path }) => path)).toEqual(['/api/teachings/search?q=hope'])
})

test('a failed search shows why and can be retried', async () => {
  let isAway = true
  await testServer({
    'GET /api/teachings/search?q=hope': () =>
      isAway
        ? { status: 503, body: { error: 'Away for a moment.', code: 'unavailable' } }
        : { body: [rows[0]] },
  })
  render(<Page />)
  await search('hope')
  await heading('Search failed')
  expect(screen.getByText('Away for a moment.')).toBeTruthy()
  expect(screen.queryByText('No teaching found matching your search.')).toBeNull()
  isAway = false
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await heading('Search Results (1)')
})

test('searches the rows of the server if the library fails to load', async () => {
  renderFrom({ elders: [], teachings: [rows[0]!, aTeaching({ id: 3, uid: uid(3), title: 'Quiet trust' })] })
  render(
    <TeachingLibrary
      library={{ status: 'failed', sentence: 'Failed to fetch teaching: Away' }}
      filters={{ ...openFilters, q: 'hope' }}
      onFilters={() => undefined}
      onRetry={() => undefined}
      row={({ title }) => <li>{title}</li>}
    />,
  )
  await heading('Search failed')
  expect(await screen.findByText('Hope in Christ')).toBeTruthy()
  expect(screen.queryByText('Quiet trust')).toBeNull()
  expect(screen.getByText('Failed to fetch teaching: Away')).toBeTruthy()
})
