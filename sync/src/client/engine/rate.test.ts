import { expect, test } from 'vitest'
import type { Transport } from '../../call/transport.ts'
import { requestLimits, requestRate } from './rate.ts'

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
  const ask = (key: string) => rate.transportOf(key, transport).fetch('/')
  return { state, rate, ask }
}

test('the thirteenth request of an entry within a minute is not sent; others are', async () => {
  const { state, ask } = setting()
  for (let count = 0; count < requestLimits.perEntry; count += 1) {
    await ask('a')
    state.now += 1_000
  }
  await expect(ask('a')).rejects.toMatchObject({ name: 'NetworkError', at: 60_000 })
  await ask('b')
  expect(state.sent).toBe(13)
  state.now = 60_000
  await ask('a')
  await expect(ask('a')).rejects.toMatchObject({ at: 61_000 })
})

test('a device sends sixty requests a minute, of all its entries', async () => {
  const { state, ask } = setting()
  for (let count = 0; count < requestLimits.perDevice; count += 1) await ask(`entry ${count}`)
  await expect(ask('another')).rejects.toMatchObject({ at: 60_000 })
  expect(state.sent).toBe(60)
})

test('requests that brought an entry forward are not counted, nor those before the clock was set back', async () => {
  const { state, rate, ask } = setting()
  for (let count = 0; count < 100; count += 1) {
    await ask('a')
    rate.forget('a')
  }
  state.now = 1_000_000
  for (let count = 0; count < requestLimits.perEntry; count += 1) await ask('a')
  state.now = 0
  await ask('a')
})
