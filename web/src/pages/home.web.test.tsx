import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { screen, within } from '@testing-library/react'
import { beforeEach, expect, test } from 'vitest'
import { putDefaultPages } from '../testing/default-pages.ts'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

beforeEach(async () => {
  await putDefaultPages()
  await testServer({})
  await appDatabase().teachings.clear()
  await writeSyncState(appDatabase(), { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
})

const sections = () =>
  within(screen.getByRole('main'))
    .getAllByRole('heading', { level: 2 })
    .map(({ textContent }) => textContent)

test('offers the newest recording under the welcome', async () => {
  const at = (n: number) => ({ id: n, uid: `6f1c1f0e-2b7a-4c58-a1de-00000000000${n}`, date: `2026-11-0${n}` })
  await appDatabase().teachings.bulkPut([
    aTeaching({ ...at(1), title: 'Heard on Sunday' }),
    aTeaching({ ...at(2), title: 'Not recorded yet', audioUrl: null }),
  ])
  renderSite('/')
  const play = await screen.findByRole('button', { name: 'Play the latest' })
  expect(screen.getByRole('link', { name: 'Not recorded yet' })).toBeTruthy()
  await screen.findByRole('heading', { name: 'Our Elders' })
  expect(sections()).toEqual(['Latest teaching', 'Sunday Service', 'Our Elders', 'Find Us'])
  play.click()
  expect(await screen.findByRole('button', { name: /^Open the player: Heard on Sunday/ })).toBeTruthy()
})

test('an empty site leads to the teaching and about page', async () => {
  renderSite('/')
  expect(await screen.findByText(/^What is taught on Sundays is recorded/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Play the latest' })).toBeNull()
  const main = within(screen.getByRole('main'))
  expect(main.getByRole('link', { name: 'Listen to the teaching' })).toBeTruthy()
  expect(main.getByRole('link', { name: 'Who we are' })).toBeTruthy()
})
