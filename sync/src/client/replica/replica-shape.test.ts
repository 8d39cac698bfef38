import 'fake-indexeddb/auto'
import { describe, expect, test } from 'vitest'
import type { Transport } from '../../call/transport.ts'
import { MemoryServer } from '../../testing/memory-server.ts'
import { testNetwork } from '../../testing/test-network.ts'
import { AppDatabase, writerSchema } from '../database/app-database.ts'
import { databaseTrouble, OutdatedPage } from '../database/database-trouble.ts'
import { pull } from './pull.ts'
import { readSyncState, writeSyncState } from './sync-state.ts'

const now = () => 1_000_000

/** A device in sync with a server whose teaching has a description, as a build left it that knew no descriptions. */
async function deviceOfLastSchema() {
  const server = new MemoryServer()
  server.commit([
    { kind: 'teaching', uid: 't-1', text: { title: 'Hope', description: 'Of what does not fade.' } },
  ])
  const db = new AppDatabase(`shape-${Math.random()}`)
  const network = testNetwork(server)
  await pull(db, network, { now })
  const { shape: _shape, ...before } = await readSyncState(db)
  await writeSyncState(db, before)
  await db.teachings.toCollection().modify((row) => void Reflect.deleteProperty(row, 'description'))
  return { db, network, server }
}

test('the first rows record the schema of the build that wrote them', async () => {
  const { db } = await deviceOfLastSchema()
  expect((await db.meta.get('minWriterSchema'))?.value).toBe(writerSchema)
})

test('another shape brings the new column', async () => {
  const { db, network } = await deviceOfLastSchema()
  expect(await db.teachings.get('t-1')).not.toHaveProperty('description')
  await pull(db, network, { now })
  expect(await db.teachings.get('t-1')).toMatchObject({
    title: 'Hope',
    description: 'Of what does not fade.',
  })
})

test('requests the snapshot of a new shape once', async () => {
  const { db, network, server } = await deviceOfLastSchema()
  await pull(db, network, { now })
  server.commit([{ kind: 'teaching', uid: 't-2', text: { title: 'Grace' } }])
  const asked: string[] = []
  const listening = {
    base: network.base,
    fetch: (input: RequestInfo | URL, init?: RequestInit) => (
      asked.push(String(input as string)),
      network.fetch(input, init)
    ),
  }
  await pull(db, listening, { now })
  expect(asked).toHaveLength(1)
  expect(asked[0]).toContain('since=')
  expect(await db.teachings.count()).toBe(2)
})

test('a device without series gets them', async () => {
  const server = new MemoryServer()
  server.commit([{ kind: 'teaching', uid: 't-1', text: { title: 'Hope' } }])
  server.commit([{ kind: 'series', uid: 's-1', text: { title: 'Of hope', teachings: ['t-1'] } }])
  const db = new AppDatabase(`shape-${Math.random()}`)
  const network = testNetwork(server)
  await pull(db, network, { now })
  const state = await readSyncState(db)
  await writeSyncState(db, { ...state, shape: state.shape!.replace(/,series\(.*$/, '') })
  await db.series.clear()
  await pull(db, network, { now })
  expect(await db.series.toArray()).toMatchObject([{ uid: 's-1', title: 'Of hope', teachings: ['t-1'] }])
})

/** The same server while a process of the release before series answers. */
const beforeSeries = (network: Transport): Transport => ({
  base: network.base,
  fetch: async (input, init) => {
    const answer = await network.fetch(input, init)
    if (answer.status === 304) return answer
    const { digests: _digests, tables, changes, ...page } = (await answer.json()) as Record<string, unknown>
    return Response.json({
      ...page,
      ...(tables !== undefined && { tables: { ...(tables as object), series: undefined } }),
      ...(changes !== undefined && {
        changes: (changes as { kind: string }[]).filter(({ kind }) => kind !== 'series'),
      }),
    })
  },
})

/** The requests, by their address. */
function listened(network: Transport) {
  const asked: string[] = []
  const fetch: Transport['fetch'] = (input, init) => {
    asked.push(String(input as string))
    return network.fetch(input, init)
  }
  return { asked, network: { base: network.base, fetch } }
}

describe('during an update by turns', () => {
  const aDevice = () => {
    const server = new MemoryServer()
    server.commit([{ kind: 'teaching', uid: 't-1', text: { title: 'Hope' } }])
    const db = new AppDatabase(`shape-${Math.random()}`)
    return { server, db, network: testNetwork(server) }
  }
  const begin = (server: MemoryServer) =>
    server.commit([{ kind: 'series', uid: 's-1', text: { title: 'Of hope', teachings: ['t-1'] } }])
  const titles = async (db: AppDatabase) => (await db.series.toArray()).map(({ title }) => title)

  test('an earlier process sends only changes', async () => {
    const { server, db, network } = aDevice()
    begin(server)
    await pull(db, beforeSeries(network), { now })
    const earlier = listened(beforeSeries(network))
    await pull(db, earlier.network, { now })
    await pull(db, earlier.network, { now })
    expect(earlier.asked.map((address) => address.includes('since='))).toEqual([true, true])
    expect(await titles(db)).toEqual([])
  })

  test('a snapshot without series is completed once', async () => {
    const { server, db, network } = aDevice()
    begin(server)
    await pull(db, beforeSeries(network), { now })
    await pull(db, network, { now })
    expect(await titles(db)).toEqual(['Of hope'])
    const later = listened(network)
    await pull(db, later.network, { now })
    expect(later.asked).toHaveLength(1)
    expect(later.asked[0]).toContain('since=')
  })

  test('the next pull brings a skipped series', async () => {
    const { server, db, network } = aDevice()
    await pull(db, network, { now })
    begin(server)
    await pull(db, beforeSeries(network), { now })
    expect(await titles(db)).toEqual([])
    await pull(db, network, { now })
    expect(await titles(db)).toEqual(['Of hope'])
  })
})

test('an unknown kind is no difference', async () => {
  const server = new MemoryServer()
  server.commit([{ kind: 'series', uid: 's-1', text: { title: 'Of hope' } }])
  const db = new AppDatabase(`shape-${Math.random()}`)
  const network = testNetwork(server)
  const heals: string[] = []
  const verify = (from = network) =>
    pull(db, from, { now, verify: true, onHeal: () => void heals.push('healed') })
  await verify()
  const earlier = {
    base: network.base,
    fetch: async (input: RequestInfo | URL, init?: RequestInit) => {
      const answer = await network.fetch(input, init)
      if (answer.status === 304) return answer
      const { digests: _digests, ...page } = (await answer.json()) as Record<string, unknown>
      return Response.json(page)
    },
  }
  await verify(earlier)
  expect(heals).toEqual([])
  await db.series.clear()
  await verify()
  expect(heals).toEqual(['healed'])
  expect(await db.series.count()).toBe(1)
})

test('changes during a check are pulled to their end', async () => {
  const server = new MemoryServer()
  const db = new AppDatabase(`shape-${Math.random()}`)
  const network = testNetwork(server)
  const commit = (uid: string) => server.commit([{ kind: 'teaching', uid, text: { title: uid } }])
  commit('a')
  await pull(db, network, { now })
  const asked: string[] = []
  const busy = {
    base: network.base,
    fetch: async (...request: Parameters<typeof fetch>) => {
      asked.push(request[0] as string)
      const answer = await network.fetch(...request)
      if (answer.status === 304) ['b', 'c', 'd'].forEach(commit)
      return answer
    },
  }
  await pull(db, busy, { now, limit: 1, verify: true, onHeal: () => expect.unreachable() })
  expect((await db.teachings.toArray()).map(({ title }) => title)).toEqual(['a', 'b', 'c', 'd'])
  expect(asked.every((address) => address.includes('limit=1'))).toBe(true)
})

test('an older open page writes no rows', async () => {
  const { db, network, server } = await deviceOfLastSchema()
  await pull(db, network, { now })
  const before = { rows: await db.teachings.toArray(), state: await readSyncState(db) }
  // As the build after this one leaves it.
  await db.meta.put({ key: 'minWriterSchema', value: writerSchema + 1 })
  server.commit([{ kind: 'teaching', uid: 't-2', text: { title: 'Grace' } }])
  await expect(pull(db, network, { now })).rejects.toThrow(OutdatedPage)
  expect(databaseTrouble()).toBe('outdated')
  expect({ rows: await db.teachings.toArray(), state: await readSyncState(db) }).toEqual(before)
})

test('a build before the last one reads on, and says so', async () => {
  const { db, network, server } = await deviceOfLastSchema()
  await pull(db, network, { now })
  await db.meta.put({ key: 'minWriterSchema', value: writerSchema + 1 })
  db.close()
  // As a newer build leaves the database, and after a rollback.
  await new Promise<void>((resolve) => {
    const request = indexedDB.open(db.name, 9_000)
    request.onupgradeneeded = () => request.result.createObjectStore('future', { keyPath: 'id' })
    request.onsuccess = () => (request.result.close(), resolve())
  })
  const rolledBack = new AppDatabase(db.name)
  server.commit([{ kind: 'teaching', uid: 't-2', text: { title: 'Grace' } }])
  await expect(pull(rolledBack, network, { now })).rejects.toThrow(
    'A newer version of the app was used on this device.',
  )
  expect(databaseTrouble()).toBe('older')
  expect(await rolledBack.teachings.toArray()).toMatchObject([{ uid: 't-1', title: 'Hope' }])
})
