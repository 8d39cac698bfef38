import { aTeaching } from '@fellowship/schema/testing/builders'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { openFilters } from '../../features/teachings/library.ts'
import { TeachingLibrary } from '../../features/teachings/teaching-library.tsx'
import { renderSite } from '../render-site.tsx'
import { nothingNew, pulled } from '../sync-answers.ts'
import { testServer } from '../test-server.ts'
import { dialog, press, refused, type Scenario } from './scenario.ts'

const member = { id: 7, name: 'Mere', email: 'mere@example.test', role: 'user' as const }
const hope = aTeaching({ id: 5, rev: 12, title: 'Hope', date: '2026-12-31' })

async function library(
  rows: readonly Teaching[],
  answers: Parameters<typeof testServer>[0] = {},
  user = member,
) {
  await testServer(answers)
  await appDatabase().teachings.bulkPut([...rows])
  await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
  renderSite('/teaching', user)
}

const search = async (text: string) => {
  await screen.findByText('Hope')
  await userEvent.type(screen.getByRole('searchbox'), text)
}

const edit = async (status: number) => {
  await library([hope], {
    'PUT /api/teachings/5': () =>
      status === 200 ? { body: hope } : refused(status, 'Not like this.', 'invalid_input'),
  })
  await press('Edit Hope')
  fireEvent.change(await screen.findByLabelText('Speaker'), { target: { value: 'Jane Smith' } })
  await press('Update')
}

const remove = async (status: number) => {
  await library([hope], {
    [`DELETE /api/teachings/5?baseRev=12&uid=${hope.uid}`]: () =>
      status === 200
        ? { body: { success: true, rev: 13 } }
        : refused(status, 'Not like this.', 'invalid_input'),
  })
  await press('Delete Hope')
  await userEvent.click((await dialog()).getByRole('button', { name: 'Delete' }))
}

export const saidByTeachings: readonly Scenario[] = [
  { says: ['Audio file coming soon'], bring: () => library([{ ...hope, audioUrl: null }]) },
  { says: ['No teaching available.'], bring: () => library([]) },
  {
    says: ['No teaching found matching your search.'],
    bring: async () => {
      await library([hope])
      await search('zebra')
    },
  },
  {
    says: ['Search failed'],
    bring: async () => {
      await testServer({ 'GET /api/teachings/search?q=hope': () => refused() })
      // A row as a damaged browser database returns it.
      const rows = [hope, { ...hope, title: undefined as unknown as string }]
      render(
        <TeachingLibrary
          library={{ status: 'ready', rows }}
          filters={{ ...openFilters, q: 'hope' }}
          onFilters={() => undefined}
          onRetry={() => undefined}
          row={({ uid }) => <li>{uid}</li>}
        />,
      )
    },
  },
  {
    says: ['Failed to fetch teaching: …'],
    bring: async () => {
      await testServer({ 'GET /api/sync?schema=2': () => refused() })
      renderSite('/teaching', null)
    },
  },
  {
    says: ['Are you sure you want to delete this teaching? This action cannot be undone.'],
    bring: async () => {
      await library([hope])
      await press('Delete Hope')
    },
  },
  { says: ['Teaching updated successfully'], bring: () => edit(200) },
  { says: ['Error', 'Failed to update sermon'], bring: () => edit(400) },
  { says: ['Teaching Deleted'], bring: () => remove(200) },
  { says: ['Failed to delete teaching'], bring: () => remove(400) },
  {
    says: ['Cache Synchronized'],
    bring: async () => {
      await library([hope], { [pulled]: () => ({ body: nothingNew }) })
      await screen.findByText('Hope')
      await press('Sync')
    },
  },
  {
    says: ['Sync Failed'],
    bring: async () => {
      await library([hope], { [pulled]: () => refused() })
      await screen.findByText('Hope')
      await press('Sync')
    },
  },
]
