import 'fake-indexeddb/auto'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { sentenceOfError } from '../../call/call-error.ts'
import { MemoryServer } from '../../testing/memory-server.ts'
import type { Fault } from '../../testing/faults.ts'
import { testNetwork } from '../../testing/test-network.ts'
import { AppDatabase } from '../database/app-database.ts'
import { withoutLeaderLock } from '../engine/leader.ts'
import { requestLimits, requestRate } from '../engine/rate.ts'
import { startSync, type SyncDeps } from './sync-session.ts'
import { readSyncState } from './sync-state.ts'
import { readTeachings } from './teachings.store.ts'

let names = 0

function device(server = new MemoryServer(), firstFault: Fault = 'none') {
  let fault = firstFault
  let time = 1_000_000
  const events = new Map<string, () => void>()
  const network = testNetwork(server, { fault: () => fault })
  const asked: string[] = []
  const heal = vi.fn()
  const retries: { ms: number; run: () => void }[] = []
  const deps: SyncDeps = {
    db: new AppDatabase(`session-${(names += 1)}`),
    transport: {
      base: network.base,
      fetch: (input, init) => (asked.push(String(input as string)), network.fetch(input, init)),
    },
    now: () => time,
    random: () => 1,
    rate: requestRate(() => time),
    listen: (event, then) => (events.set(event, then), () => events.delete(event)),
    withLeaderLock: withoutLeaderLock,
    pause: async (ms, woken) => {
      if (ms === Infinity) return woken
      await Promise.race([
        woken,
        new Promise<void>((resolve) => {
          const run = () => {
            retries.splice(0)
            time += ms
            resolve()
          }
          retries.push({ ms, run })
        }),
      ])
      retries.splice(0)
    },
    onHeal: heal,
  }
  return {
    ...deps,
    server,
    asked,
    events,
    heal,
    retries,
    setFault: (next: Fault) => (fault = next),
    pass: (ms: number) => (time += ms),
    titles: async () => (await readTeachings(deps.db))?.map(({ uid }) => uid),
  }
}

const write = (server: MemoryServer, uid: string) =>
  server.commit([{ kind: 'teaching', uid, text: { title: uid } }])

describe('with a bad connection', () => {
  test('a failed pull sets the status until success', async () => {
    const { setFault, ...here } = device(new MemoryServer(), 'lost request')
    const session = startSync(here)
    await expect(session.pull()).rejects.toThrow('No answer')
    await vi.waitFor(() => expect(session.status().syncing).toBe(false))
    expect(session.status().failure).toContain('No connection')
    setFault('none')
    await session.pull()
    expect(session.status()).toEqual({
      syncing: false,
      failure: undefined,
      unreachable: false,
      failedAt: undefined,
    })
  })

  test('no answer counts as unreachable, an error status does not', async () => {
    const here = device(new MemoryServer(), 'lost request')
    const session = startSync(here)
    await expect(session.pull()).rejects.toThrow('No answer')
    await vi.waitFor(() => expect(session.status().syncing).toBe(false))
    expect(session.status()).toMatchObject({ unreachable: true, failedAt: here.now() })
    here.setFault('bad gateway')
    await expect(session.pull()).rejects.toThrow('502')
    expect(session.status()).toMatchObject({ unreachable: false })
  })

  test('a rate-limited pull keeps the server’s status', async () => {
    const here = device(new MemoryServer(), 'bad gateway')
    const session = startSync(here)
    for (let count = 0; here.asked.length < requestLimits.perEntry && count < 20; count += 1)
      await expect(session.pull()).rejects.toThrow('502')
    const known = session.status()
    here.setFault('none')
    here.pass(1000)
    const sentence = await session.pull().catch(sentenceOfError)
    expect(sentence).toBe('This device asked too often in the last minute. Try again in a minute.')
    expect(here.asked).toHaveLength(requestLimits.perEntry)
    await vi.waitFor(() => expect(session.status()).toEqual(known))
    const opened = startSync({ ...here, pause: (_ms, woken) => woken })
    await expect(opened.pull()).rejects.toThrow('asked too often')
    // The requests of the other page had answers.
    expect(opened.status()).toMatchObject({ syncing: false, unreachable: false, failedAt: here.now() })
    opened.stop()
    // It is tried again by itself as soon as it may.
    await vi.waitFor(() => expect(here.retries).toHaveLength(1))
    here.retries[0]!.run()
    await vi.waitFor(() => expect(session.status()).toMatchObject({ syncing: false, failure: undefined }))
  })

  test('a rate-limited pull after requests without answers is offline', async () => {
    const here = device(new MemoryServer(), 'lost request')
    const session = startSync(here)
    for (let count = 0; here.asked.length < requestLimits.perEntry && count < 20; count += 1)
      await expect(session.pull()).rejects.toThrow('No answer')
    const opened = startSync({ ...here, pause: (_ms, woken) => woken })
    await expect(opened.pull()).rejects.toThrow('No connection')
    expect(opened.status()).toMatchObject({ syncing: false, unreachable: true, failedAt: here.now() })
    opened.stop()
    session.stop()
  })

  test('only a person’s pull uses the share of people', async () => {
    const { rate, ...here } = device()
    const automatic: (boolean | undefined)[] = []
    const session = startSync({
      ...here,
      rate: {
        transportOf(key, transport, options) {
          automatic.push(options?.automatic)
          return rate.transportOf(key, transport, options)
        },
      },
    })
    onTestFinished(() => session.stop())
    await vi.waitFor(() => expect(automatic).toEqual([true]))
    await vi.waitFor(() => expect(session.status().syncing).toBe(false))
    here.events.get('hint')!()
    await vi.waitFor(() => expect(automatic).toEqual([true, true]))
    await session.pull()
    expect(automatic).toEqual([true, true, false])
  })

  test('retries with growing waits until a pull succeeds', async () => {
    const { retries, ...here } = device(new MemoryServer(), 'lost request')
    const session = startSync(here)
    const waits: number[] = []
    for (let attempt = 0; attempt < 7; attempt += 1) {
      await vi.waitFor(() => expect(retries).toHaveLength(1))
      const [{ ms, run }] = retries as [{ ms: number; run: () => void }]
      waits.push(ms / 1000)
      run()
      await vi.waitFor(() => expect(retries).toHaveLength(0))
    }
    expect(waits).toEqual([2, 4, 8, 16, 32, 64, 128])
    await vi.waitFor(() => expect(retries).toHaveLength(1))
    here.setFault('none')
    await session.pull()
    expect(retries).toHaveLength(0)
  })

  test('aborts a silent request and pulls again', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    const { transport, events, asked, ...here } = device()
    let isDead = true
    // As `fetch`: it ends by its signal, or never.
    const fetch: typeof transport.fetch = (input, init) =>
      isDead
        ? new Promise((_, reject) => {
            asked.push('dead')
            init?.signal?.addEventListener('abort', () => reject(new DOMException('over', 'AbortError')))
          })
        : transport.fetch(input, init)
    const session = startSync({ ...here, transport: { ...transport, fetch } })
    await expect.poll(() => asked).toEqual(['dead'])
    const heard = session.pull()
    isDead = false
    events.get('online')!()
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    await heard
    await vi.waitFor(() => expect(session.status().syncing).toBe(false))
  })

  test('a failed pull leaves the rows and syncedAt unchanged', async () => {
    const here = device()
    write(here.server, 'a')
    const session = startSync(here)
    await session.pull()
    const { syncedAt } = await readSyncState(here.db)
    here.pass(1000)
    here.setFault('bad gateway')
    await expect(session.pull()).rejects.toThrow('502')
    expect(await here.titles()).toEqual(['a'])
    expect((await readSyncState(here.db)).syncedAt).toBe(syncedAt)
  })
})

test('pulls at start, online, hints and visibility', async () => {
  const here = device()
  const session = startSync(here)
  await vi.waitFor(() => expect(here.asked).toHaveLength(1))
  await session.pull()
  const soFar = here.asked.length
  here.events.get('visible')!()
  await new Promise((resolve) => setTimeout(resolve, 30))
  expect(here.asked).toHaveLength(soFar)
  here.pass(60_000)
  here.events.get('visible')!()
  await vi.waitFor(() => expect(here.asked).toHaveLength(soFar + 1))
  for (const [at, event] of ['online', 'hint'].entries()) {
    await vi.waitFor(() => expect(session.status().syncing).toBe(false))
    here.events.get(event)!()
    await vi.waitFor(() => expect(here.asked).toHaveLength(soFar + 2 + at))
  }
  session.stop()
  expect(here.events.size).toBe(0)
})

test('pulls and compares digests although the clock was set back', async () => {
  const here = device()
  const session = startSync(here)
  await session.pull({ verify: true })
  // The one of the start may follow.
  await session.pull()
  here.pass(-3 * 24 * 60 * 60_000)
  write(here.server, 'b')
  await session.pullIfOlder(60_000)
  expect(await here.titles()).toEqual(['b'])
  const { verifiedAt, syncedAt } = await readSyncState(here.db)
  expect([verifiedAt, syncedAt]).toEqual([here.now(), here.now()])
})

test('a pull requested during another runs after it', async () => {
  const server = new MemoryServer()
  let release = () => {}
  let held = new Promise<void>((resolve) => (release = resolve))
  const network = testNetwork(server, { hold: () => held })
  const here = { ...device(server), transport: network }
  const session = startSync(here)
  const first = session.pull()
  await new Promise((resolve) => setTimeout(resolve, 20))
  write(server, 'late')
  const second = session.pull()
  release()
  held = Promise.resolve()
  await Promise.all([first, second])
  expect((await readTeachings(here.db))?.map(({ uid }) => uid)).toEqual(['late'])
})

test('reports the first snapshot before it is written', async () => {
  const here = device()
  write(here.server, 'a')
  const session = startSync(here)
  const seen: number[] = []
  session.onSnapshot((page) => seen.push(page.tables['teaching']!['uid']!.length))
  await session.pull()
  expect(seen).toEqual([1])
})

test('a verifying pull heals different digests', async () => {
  const here = device()
  for (const uid of ['a', 'b', 'c']) write(here.server, uid)
  const session = startSync(here)
  await session.pull()
  await here.db.teachings.delete('b')
  await session.pull()
  expect(await here.titles()).toHaveLength(2)
  await session.pull({ verify: true })
  expect(await here.titles()).toHaveLength(3)
  expect(here.heal).toHaveBeenCalledOnce()
})

test('an acknowledged change is no difference', async () => {
  const here = device()
  for (const uid of ['a', 'b', 'c']) write(here.server, uid)
  let acknowledging = 0
  const ahead = {
    ...here.transport,
    fetch: async (...request: Parameters<typeof fetch>) => {
      const answer = await here.transport.fetch(...request)
      const uid = answer.status === 200 && acknowledging > 0 ? ['a', 'b'][(acknowledging -= 1)] : undefined
      if (uid) {
        here.server.commit([{ kind: 'teaching', uid, deleted: true }])
        await here.db.teachings.delete(uid)
      }
      return answer
    },
  }
  const session = startSync({ ...here, transport: ahead })
  await session.pull()
  acknowledging = 2
  await session.pull({ verify: true })
  expect(acknowledging).toBe(0)
  expect(await here.titles()).toEqual(['c'])
  expect(here.heal).not.toHaveBeenCalled()
})

test('an idle pull is one 304', async () => {
  const here = device()
  const session = startSync(here)
  await session.pull()
  await session.pull({ verify: true })
  const answers: number[] = []
  const watched = {
    ...here.transport,
    fetch: async (...request: Parameters<typeof fetch>) => {
      const response = await here.transport.fetch(...request)
      answers.push(response.status)
      return response
    },
  }
  here.pass(5000)
  const other = startSync({ ...here, transport: watched })
  await vi.waitFor(() => expect(answers).toEqual([304]))
  await vi.waitFor(async () => expect((await readSyncState(here.db)).syncedAt).toBe(here.now()))
  other.stop()
})
