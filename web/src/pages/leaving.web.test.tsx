import { aTeaching } from '@fellowship/schema/testing/builders'
import { pathByUid } from '@fellowship/schema/teachings/share-link'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { act, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { putDefaultPages } from '../testing/default-pages.ts'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

let aboutComes: (() => void) | undefined
// On a slow connection the requested page takes a while.
vi.mock('./about.tsx', async (original) => {
  await new Promise<void>((resolve) => (aboutComes = resolve))
  return original()
})

const sent = aTeaching({ title: 'Sent to you' })

test('navigates away even if the teaching arrives meanwhile', async () => {
  await testServer({})
  const site = renderSite(pathByUid(sent.uid))
  await screen.findByRole('heading', { name: 'This teaching is not on your device yet.' })
  await site.goTo('/about')
  await waitFor(() => expect(site.address()).toBe('/about'))
  await act(async () => {
    await appDatabase().teachings.put(sent)
    await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
  })
  await screen.findByRole('heading', { name: 'Sent to you', level: 1 })
  await waitFor(() => expect(aboutComes).toBeDefined())
  await act(async () => aboutComes!())
  await putDefaultPages()
  expect(await screen.findByRole('heading', { name: 'Who We Are', level: 1 })).toBeTruthy()
  expect(site.address()).toBe('/about')
})
