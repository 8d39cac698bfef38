import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { appendEdit } from '@fellowship/sync/client/outbox/outbox'
import { writeSyncState } from '@fellowship/sync/client/replica/sync-state'
import { requestLimits } from '@fellowship/sync/client/engine/rate'
import { teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { replicaShape } from '@fellowship/sync/protocol/digest'
import { screen } from '@testing-library/react'
import { expect, onTestFinished, test } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { renderSite } from '../../testing/render-site.tsx'
import { nothingNew, pulled } from '../../testing/sync-answers.ts'
import { testServer } from '../../testing/test-server.ts'
import { press } from '../../testing/said/scenario.ts'
import { pageQueues } from '../sync/page-queues.ts'

const member = { id: 7, name: 'Mere', email: 'mere@example.test', role: 'user' as const }
const hope = aTeaching({ id: 5, rev: 12, title: 'Hope' })
const uploads = (count: number) =>
  uploadDatabase().jobs.bulkPut(
    // Paused, so that this page does not send them.
    Array.from({ length: count }, (_, at) => anUploadJob({ id: `upload-${at}`, paused: true })),
  )

const edit = async () => {
  await appendEdit(appDatabase(), hope, { ...textOf(hope), title: 'Else' }, { userId: 7, now: 0 })
  await appDatabase().outbox.toCollection().modify({ state: 'conflict', current: hope })
}

test.each<[string, () => Promise<unknown>, string]>([
  ['one change', edit, '1 change is still waiting'],
  ['one recording', () => uploads(1), '1 change is still waiting'],
  ['two recordings', () => uploads(2), '2 changes are still waiting'],
  ['a change and a recording', () => Promise.all([edit(), uploads(1)]), '2 changes are still waiting'],
])('Sync reports %s as still pending', async (_, given, words) => {
  await testServer({ [pulled]: () => ({ body: nothingNew }) })
  const db = appDatabase()
  onTestFinished(async () => {
    await Promise.all([db.outbox.clear(), db.teachings.clear(), uploadDatabase().jobs.clear()])
  })
  await db.teachings.put(hope)
  await writeSyncState(db, { cursor: 'x', shape: replicaShape, syncedAt: Date.now() })
  await given()
  pageQueues().setUser(7)
  renderSite('/teaching', member)
  await press('Sync')
  expect(await screen.findByText(words, { exact: true })).toBeTruthy()
})

test('Sync without any answer reports no connection, however often', async () => {
  const own = Array.from({ length: requestLimits.perEntry }, (_, id) => ({
    id,
    key: 'sync',
    at: Date.now(),
    unanswered: true,
  }))
  localStorage.setItem('sent-requests', JSON.stringify(own))
  onTestFinished(() => localStorage.removeItem('sent-requests'))
  await testServer({ [pulled]: () => ({ status: 500, body: {} }) })
  renderSite('/teaching', member)
  await press('Sync')
  expect(await screen.findByText(teachingTexts.syncFailed)).toBeTruthy()
  expect(screen.getByText('No connection. Check your signal and try again.')).toBeTruthy()
})
