import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'
import { dismissToast, toastStore } from '../ui/toast.ts'

vi.mock('../features/teachings/row-tools.tsx', () => ({
  RowTools: () => {
    throw new TypeError('Failed to fetch dynamically imported module')
  },
}))

const member = { id: 7, name: 'Mere', email: 'mere@example.org', role: 'user' as const }
const teaching = (id: number) =>
  aTeaching({
    id,
    uid: `6f1c1f0e-2b7a-4c58-a1de-00000000000${id}`,
    rev: id,
    title: `Study ${id}`,
    date: `2026-0${id}-01`,
  })

test('toasts once when the row tools fail to load', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await testServer({})
  await appDatabase().teachings.bulkPut([1, 2].map(teaching))
  await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
  renderSite('/teaching', member)
  await screen.findByText('Study 2')
  await waitFor(() => expect(toastStore.snapshot()?.title).toBe('This part could not be loaded'))
  const { id } = toastStore.snapshot()!
  act(() => dismissToast(id))

  await act(() => appDatabase().teachings.put(teaching(3)))
  await screen.findByText('Study 3')
  expect(toastStore.snapshot()?.open ?? false).toBe(false)
})
