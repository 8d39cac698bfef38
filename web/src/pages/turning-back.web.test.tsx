import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { act, fireEvent, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

// The connection is so slow that the requested page never arrives.
vi.mock('./about.tsx', () => new Promise(() => {}))

test('keeps the search after an interrupted navigation', async () => {
  await testServer({})
  await appDatabase().teachings.put(aTeaching({ title: 'Sent to you' }))
  await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
  const site = renderSite('/teaching')
  await screen.findByText('Sent to you')
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: 'sent' } })
  await site.goTo('/about')
  // Longer than the delay before the search is written.
  await act(() => new Promise<void>((resolve) => setTimeout(resolve, 500)))
  expect(site.address()).toBe('/about')

  await site.goTo('/teaching')
  expect(screen.getByRole<HTMLInputElement>('searchbox').value).toBe('sent')
  await waitFor(() => expect(site.address()).toBe('/teaching?q=sent'))
})
