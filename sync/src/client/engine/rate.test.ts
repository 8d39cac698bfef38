import 'fake-indexeddb/auto'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, test } from 'vitest'
import type { Transport } from '../../call/transport.ts'
import { AppDatabase } from '../database/app-database.ts'
import { drain } from '../outbox/outbox-drain.ts'
import { appendEdit } from '../outbox/outbox.ts'
import { requestLimits, requestRate, sentOfDevice } from './rate.ts'

function setting() {
  const state = { now: 0, sent: 0 }
  const transport: Transport = {
    base: '',
    fetch: async () => {
      state.sent += 1
      return new Response()
    },
  }
  const rate = requestRate(() => state.now)
  /** A try of its own. */
  const ask = (key: string) => rate.transportOf(key, transport).fetch('/')
  return { state, rate, ask, transport }
}

test('limits an entry to twelve requests a minute', async () => {
  const { state, ask } = setting()
  for (let count = 0; count < requestLimits.perEntry; count += 1) {
    await ask('a')
    state.now += 1_000
  }
  await expect(ask('a')).rejects.toMatchObject({ name: 'TooManyRequests', at: 60_000 })
  await ask('b')
  expect(state.sent).toBe(13)
  state.now = 60_000
  await ask('a')
  await expect(ask('a')).rejects.toMatchObject({ at: 61_000 })
})

test('limits a device to sixty requests a minute', async () => {
  const { state, ask } = setting()
  for (let count = 0; count < requestLimits.perDevice; count += 1) await ask(`entry ${count}`)
  await expect(ask('another')).rejects.toMatchObject({ at: 60_000 })
  expect(state.sent).toBe(60)
})

test('automatic requests leave people a share', async () => {
  const { state, rate, ask, transport } = setting()
  const automatic = (key: string) => rate.transportOf(key, transport, { automatic: true }).fetch('/')
  const share = requestLimits.perDevice - requestLimits.reserved
  for (let count = 0; count < share; count += 1) {
    await automatic(`entry ${count}`)
    state.now += 1_000
  }
  await expect(automatic('another')).rejects.toMatchObject({ at: 60_000 })
  for (let count = 0; count < requestLimits.reserved; count += 1) await ask(`asked ${count}`)
  await expect(ask('another')).rejects.toMatchObject({ at: 60_000 })
  expect(state.sent).toBe(requestLimits.perDevice)
})

test('does not count successful requests', async () => {
  const { state, rate, ask, transport } = setting()
  const counted = rate.transportOf('a', transport)
  for (let count = 0; count < 100; count += 1) {
    await counted.fetch('/')
    counted.forget()
  }
  state.now = 1_000_000
  for (let count = 0; count < requestLimits.perEntry; count += 1) await ask('a')
  state.now = 0
  await ask('a')
})

test('failures of a done entry count for the device', async () => {
  const { rate, ask, transport } = setting()
  for (let count = 0; count < 5; count += 1) await ask('a')
  const refusing = { base: '', fetch: async () => new Response('', { status: 400 }) }
  const answers = [refusing, refusing, transport]
  const last = rate.transportOf('a', { base: '', fetch: (...asked) => answers.shift()!.fetch(...asked) })
  for (let count = 0; count < 3; count += 1) await last.fetch('/')
  last.forget()
  for (let count = 0; count < requestLimits.perDevice - 7; count += 1) await ask(`entry ${count}`)
  await expect(ask('another')).rejects.toMatchObject({ at: 60_000 })
})

test('counts earlier requests once the clock is right', async () => {
  const { state, ask } = setting()
  state.now = 1_000_000
  for (let count = 0; count < requestLimits.perEntry; count += 1) await ask('a')
  state.now = 0
  await ask('a')
  state.now = 1_010_000
  await expect(ask('a')).rejects.toMatchObject({ at: 1_060_000 })
  state.now = 1_060_000
  await ask('a')
})

test('waits for the oldest request of the minute', async () => {
  const { state, ask } = setting()
  for (const time of [100_000, 70_000]) {
    state.now = time
    for (let count = 0; count < requestLimits.perEntry / 2; count += 1) await ask('a')
  }
  state.now = 105_000
  await expect(ask('a')).rejects.toMatchObject({ at: 130_000 })
})

/** The storage that the tabs of a browser profile share. */
function storage() {
  const kept = new Map<string, string>()
  return {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  }
}

test('tabs share the limit, also after a reload', async () => {
  const db = new AppDatabase('rate-of-two-tabs')
  const shared = storage()
  let now = 1_000_000
  let sent = 0
  for (let at = 0; at < 100; at += 1) {
    const teaching = aTeaching({ id: at, uid: `teaching-${at}` })
    await appendEdit(db, teaching, { ...textOf(teaching), title: 'Else' }, { userId: 7, now: 0 })
  }
  const openTab = () => {
    const transport: Transport = {
      base: 'http://server.test',
      fetch: async (input) => {
        if ((input as string).endsWith('/api/csrf-token')) return Response.json({ csrfToken: 'token' })
        sent += 1
        return new Response('', { status: 502 })
      },
    }
    const rate = requestRate(
      () => now,
      sentOfDevice(() => shared),
    )
    return drain(db, transport, { now: () => now, random: () => 1, userId: () => 7, rate })
  }
  await Promise.all([openTab(), openTab()])
  await openTab()
  // With a request for the token of each tab.
  expect(sent).toBeGreaterThan(50)
  expect(sent).toBeLessThanOrEqual(requestLimits.perDevice)
  const before = sent
  now += 70_000
  await openTab()
  expect(sent - before).toBeGreaterThan(50)
  expect(sent - before).toBeLessThanOrEqual(requestLimits.perDevice)
})

test('success in one tab clears another tab’s count', async () => {
  const shared = storage()
  const [one, other] = [0, 1].map(() =>
    requestRate(
      () => 0,
      sentOfDevice(() => shared),
    ),
  )
  const { transport } = setting()
  const counted = one!.transportOf('a', transport)
  for (let count = 0; count < requestLimits.perEntry; count += 1) await counted.fetch('/')
  await expect(other!.transportOf('a', transport).fetch('/')).rejects.toThrow()
  counted.forget()
  await other!.transportOf('a', transport).fetch('/')
})

test.each<[string, Parameters<typeof sentOfDevice>[0]]>([
  [
    'refuses its storage',
    () => {
      throw new DOMException('Denied', 'SecurityError')
    },
  ],
  [
    'has no room in its storage',
    () => ({
      getItem: () => null,
      setItem() {
        throw new DOMException('Full', 'QuotaExceededError')
      },
    }),
  ],
  ['has something else there', () => ({ getItem: () => '{"a":1}', setItem: () => undefined })],
])('a browser that %s: the page counts for itself', async (_, given) => {
  const rate = requestRate(() => 0, sentOfDevice(given))
  const { transport } = setting()
  for (let count = 0; count < requestLimits.perEntry; count += 1)
    await rate.transportOf('a', transport).fetch('/')
  await expect(rate.transportOf('a', transport).fetch('/')).rejects.toThrow('asked too often')
})
