import 'fake-indexeddb/auto'
import { series } from '@fellowship/schema/series/series.contract'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { testApp } from '@fellowship/api/testing/test-app'
import { call } from '@fellowship/sync/call/call'
import { expect, test } from 'vitest'
import { openDeviceClient as openEarlierClient } from './fixtures/earlier-client.mjs'

const app = await testApp()
const person = await app.signedIn()

test('a device of an earlier release, which knows no series, agrees with the server before and after their changes', async () => {
  await app.context.sql`insert into teachings (title, speaker, date, year) values ('Hope', 'Ana', '2026-11-22', 2026)`
  const device = openEarlierClient({ name: 'earlier', userId: 1, transport: person })
  const titles = async () => (await device.rows()).map(({ title }) => title)
  await device.pull()
  expect(await titles()).toEqual(['Hope'])
  const begun = await call(series.create, { body: { title: 'Of hope' } }, person)
  expect(await device.pull({ verify: true })).toBe(false)
  await app.context.sql`update teachings set title = 'Faith'`
  await call(series.update, { params: { uid: begun.uid }, body: { title: 'Of faith' } }, person)
  expect(await device.pull({ verify: true })).toBe(false)
  await call(series.remove, { params: { uid: begun.uid } }, person)
  expect(await device.pull({ verify: true })).toBe(false)
  expect(await titles()).toEqual(['Faith'])
  const { digest } = await call(sync.pull, { query: {} }, person)
  expect(digest?.count).toBe(1)
  await device.close()
})
