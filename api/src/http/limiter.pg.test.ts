import { expect, test } from 'vitest'
import { writeRate } from '@fellowship/schema/auth/auth.limits'
import { forgetCounted } from '../db/counted-attempts.ts'
import { testClock } from '../machine/clock.ts'
import { secretsUnder } from '../machine/secrets.ts'
import { testDatabase } from '../testing/test-db.ts'
import { sharedLimiter, writeLimiter } from './limiter.ts'

const { sql } = await testDatabase()
const clock = testClock('2026-11-23T00:00:00Z')
const secrets = secretsUnder('s'.repeat(64))
const rate = { attempts: 3, perMinutes: 5 }
const limitOf = (rule: string) => sharedLimiter({ sql, clock, secrets }, rule, rate)

test('two processes count the attempts of an address together', async () => {
  const [here, there] = [limitOf('together'), limitOf('together')]
  await here.take('192.0.2.1')
  clock.advance(60_000)
  await there.take('192.0.2.1')
  await here.take('192.0.2.1')
  for (const limit of [there, here, there])
    await expect(limit.take('192.0.2.1')).rejects.toMatchObject({
      code: 'rate_limited',
      extra: { retryAfter: 240 },
    })
  await there.take('192.0.2.2')
  await limitOf('another rule').take('192.0.2.1')
  clock.advance(241_000)
  await there.take('192.0.2.1')
  await expect(here.take('192.0.2.1')).rejects.toMatchObject({ code: 'rate_limited' })
})

test('parallel attempts do not outrun the limit', async () => {
  const limits = Array.from({ length: 12 }, () => limitOf('at once'))
  const results = await Promise.allSettled(limits.map((limit) => limit.take('192.0.2.1')))
  expect(results.filter(({ status }) => status === 'fulfilled')).toHaveLength(rate.attempts)
})

test('two processes count parallel writes of an account together', async () => {
  const [here, there] = [writeLimiter({ sql, clock, secrets }), writeLimiter({ sql, clock, secrets })]
  const half = Array.from({ length: writeRate.attempts / 2 })
  await Promise.all(half.flatMap(() => [here.take('7'), there.take('7')]))
  for (const limit of [here, there])
    await expect(limit.take('7')).rejects.toMatchObject({ code: 'rate_limited', extra: { retryAfter: 600 } })
  await there.take('8')
})

test('attempts given back do not count', async () => {
  const [here, there] = [limitOf('given back'), limitOf('given back')]
  for (let tries = 0; tries < 10; tries += 1) {
    await here.take('192.0.2.1')
    await there.giveBack('192.0.2.1')
  }
  await here.take('192.0.2.1')
})

test('stores no address and deletes counts after a day', async () => {
  await limitOf('forgotten').take('192.0.2.77')
  expect(JSON.stringify(await sql`select * from counted_attempts`)).not.toContain('192.0.2.77')
  await forgetCounted(sql, clock.now())
  const left = () => sql`select 1 from counted_attempts where rule = 'forgotten'`
  expect(await left()).toHaveLength(1)
  clock.advance(25 * 60 * 60_000)
  await forgetCounted(sql, clock.now())
  expect(await sql`select 1 from counted_attempts`).toEqual([])
})
