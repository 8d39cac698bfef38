import { beforeEach, describe, expect, test } from 'vitest'
import { church } from '@fellowship/schema/church'
import { push, type PushEvery } from '@fellowship/schema/push/push.contract'
import { newSubscriptionRate, pushFailures, pushLimits, pushRate } from '@fellowship/schema/push/push.limits'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { call } from '@fellowship/sync/call/call'
import { secretsUnder } from '../../machine/secrets.ts'
import { anotherProcess } from '../../testing/another-process.ts'
import { testDevice, type TestDevice } from '../../testing/push-device.ts'
import { readMessage, testPushService, vapidClaims } from '../../testing/push-service.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { pushKeys, pushWorker } from './push.ts'

const app = await testApp({ CONTACT_EMAIL: 'elders@example.org' })
const { sql, clock } = { ...app.context, clock: app.clock }
const service = await testPushService()
const visitor = app.client()
let worker: ReturnType<typeof pushWorker>
const minutes = (count: number) => count * 60_000
const days = (count: number) => minutes(count * 24 * 60)

/** A Wednesday. */
const start = '2026-11-25T12:00:00+13:00'
beforeEach(async () => {
  await sql`truncate teachings, push_news, push_deliveries, push_subscriptions, counted_attempts cascade`
  await sql`delete from push_keys`
  service.reset()
  clock.set(start)
  worker = pushWorker(app.context, { sender: service.sender, random: () => 1 })
  await worker.run()
})

async function subscribed(every: PushEvery = 'teaching', device = testDevice()): Promise<TestDevice> {
  await call(push.subscribe, { body: { subscription: device.subscription, every } }, visitor)
  return device
}

let added = 0
async function addTeaching(title = 'Hope in Christ', { audio = true } = {}): Promise<string> {
  const sha256 = (added += 1).toString(16).padStart(64, '0')
  const [row] = await sql<{ uid: string }[]>`insert into teachings ${sql({
    title,
    speaker: 'Jane Doe',
    date: '2026-11-22',
    year: 2026,
    ...(audio && { audioUrl: `/audio/${sha256}.mp3`, audioSha256: sha256, audioBytes: 9 }),
  })} returning uid`
  await sql`update push_news set added_at = ${clock.now()} where teaching = ${row!.uid}`
  return row!.uid
}

/** Time passes, with a look each half hour of it, or sixteen of a long one. */
async function pass(ms: number): Promise<void> {
  const step = Math.max(minutes(30), ms / 16)
  for (let left = ms; left > 0; left -= step) {
    clock.advance(Math.min(left, step))
    await worker.run()
  }
}

const devices = () => sql<{ endpoint: string; every: string; failures: number }[]>`
  select endpoint, every, failures from push_subscriptions order by endpoint`

describe('refused', () => {
  const { keys } = testDevice().subscription

  test('refuses a key off the curve with 400', async () => {
    const p256dh = Buffer.concat([Buffer.of(4), Buffer.alloc(64, 1)]).toString('base64url')
    const subscription = { endpoint: 'https://push.example.org/x', keys: { ...keys, p256dh } }
    const error = await refusal(call(push.subscribe, { body: { subscription, every: 'teaching' } }, visitor))
    expect([error.status, error.sentence]).toEqual([400, pushTexts.keysDamaged])
    expect(await devices()).toEqual([])
  })

  test('refuses a device beyond the limit, except known ones', async () => {
    const known = await subscribed()
    await sql`update push_subscriptions set sent_at = now()`
    await sql`insert into push_subscriptions (endpoint, p256dh, auth, every, created_at, sent_at)
      select 'https://push.example.org/' || n, ${keys.p256dh}, ${keys.auth}, 'week', now(), now()
      from generate_series(2, ${pushLimits.devices}) n`
    const { subscription } = testDevice()
    const error = await refusal(call(push.subscribe, { body: { subscription, every: 'week' } }, visitor))
    expect([error.status, error.sentence]).toEqual([503, pushTexts.full])
    expect(
      await call(push.subscribe, { body: { subscription: known.subscription, every: 'week' } }, visitor),
    ).toEqual({ every: 'week' })
  })

  test('a new device replaces one that never accepted a message', async () => {
    await sql`insert into push_subscriptions (endpoint, p256dh, auth, every, created_at, sent_at)
      select 'https://push.example.org/' || n, ${keys.p256dh}, ${keys.auth}, 'week', now() - n * interval '1 s',
        case when n > 2 then now() end from generate_series(1, ${pushLimits.devices}) n`
    const { subscription } = await subscribed()
    const rest = await sql<
      { endpoint: string }[]
    >`select endpoint from push_subscriptions where sent_at is null`
    expect(rest.map(({ endpoint }) => endpoint).sort()).toEqual(
      ['https://push.example.org/1', subscription.endpoint].sort(),
    )
  })
})

describe('a subscription', () => {
  test('a subscription can change, move and end, anonymously', async () => {
    const device = await subscribed()
    await subscribed('week', device)
    expect(await devices()).toEqual([{ endpoint: device.subscription.endpoint, every: 'week', failures: 0 }])
    const { subscription } = testDevice()
    const replaces = device.subscription.endpoint
    await call(push.subscribe, { body: { subscription, every: 'week', replaces } }, visitor)
    expect((await devices()).map(({ endpoint }) => endpoint)).toEqual([subscription.endpoint])
    const [row] = await sql`select * from push_subscriptions`
    expect(Object.keys(row!).sort()).toEqual([
      'auth',
      'createdAt',
      'endpoint',
      'every',
      'failures',
      'p256dh',
      'sentAt',
      'uid',
    ])
    for (let times = 0; times < 2; times += 1)
      await call(push.unsubscribe, { body: { endpoint: subscription.endpoint } }, visitor)
    expect(await devices()).toEqual([])
  })
})

describe('a message', () => {
  test('a message is encrypted, signed and sent once after quiet', async () => {
    const [device, other] = [await subscribed(), testDevice()]
    const uid = await addTeaching('Hope_in_Christ')
    await pass(minutes(9))
    expect(service.posted).toEqual([])
    await sql`update teachings set title = 'Hope_in_Him'`
    await pass(minutes(2))
    const [posted] = service.posted
    expect(posted!.path).toBe(new URL(device.subscription.endpoint).pathname)
    expect(readMessage(posted!.body, device)).toEqual({
      title: church().name,
      body: 'Hope in Him · Jane Doe',
      path: `/teaching/2026-11-22-hope-in-him-${uid.slice(-12)}`,
      tag: uid.slice(-12),
      uids: [uid],
    })
    expect(() => readMessage(posted!.body, other)).toThrow()
    expect(posted!.headers).toMatchObject({
      'content-encoding': 'aes128gcm',
      topic: 'teachings',
      ttl: '345600',
    })
    const vapid = vapidClaims(String(posted!.headers['authorization']))
    const { publicKey } = await call(push.key, {}, visitor)
    expect(vapid).toMatchObject({
      publicKey,
      claims: { aud: 'https://push.example.org', sub: 'mailto:elders@example.org' },
    })
    await pass(days(8))
    expect(service.posted).toHaveLength(1)
  })

  test('only new, lasting teachings with a recording are announced', async () => {
    const uid = await addTeaching()
    await pass(minutes(30))
    await subscribed()
    await sql`update teachings set title = 'Corrected', deleted_at = now() where uid = ${uid}`
    await sql`update teachings set deleted_at = null where uid = ${uid}`
    const deleted = await addTeaching('Deleted')
    await sql`update teachings set deleted_at = now() where uid = ${deleted}`
    const later = await addTeaching('Later', { audio: false })
    await pass(minutes(60))
    expect(service.posted).toEqual([])
    const audio = { audioUrl: `/audio/${'f'.repeat(64)}.mp3`, audioSha256: 'f'.repeat(64), audioBytes: 9 }
    await sql`update teachings set ${sql(audio)} where uid = ${later}`
    await pass(minutes(30))
    expect(service.posted).toHaveLength(1)
  })

  test('five hundred imported teachings make one message', async () => {
    const device = await subscribed()
    await sql`insert into teachings (title, speaker, date, year, audio_url)
      select 'Old ' || n, 'Jane Doe', '1999-01-01', 1999, '/audio/' || n from generate_series(1, 500) n`
    await sql`update push_news set added_at = ${clock.now()}`
    await pass(days(1))
    expect(service.posted).toHaveLength(1)
    expect(readMessage(service.posted[0]!.body, device)).toMatchObject({
      body: expect.stringMatching(/^500 new teachings: Old \d+, Old \d+, …$/) as string,
      path: '/teaching?show=new',
    })
  })

  test('a message waits at most two hours', async () => {
    await subscribed()
    for (let count = 0; count < 13; count += 1) {
      await addTeaching(`Part ${count}`)
      clock.advance(minutes(9.5))
      await worker.run()
    }
    expect(service.posted).toHaveLength(1)
  })

  test('weekly subscribers get one message on Monday evening', async () => {
    const device = await subscribed('week')
    await addTeaching('First')
    await pass(minutes(30))
    await addTeaching('Second')
    await pass(minutes(30))
    expect(service.posted).toEqual([])
    clock.set('2026-11-30T17:59:00+13:00')
    await worker.run()
    expect(service.posted).toEqual([])
    clock.set('2026-11-30T18:00:00+13:00')
    await worker.run()
    await pass(days(14))
    expect(service.posted.map(({ body }) => readMessage(body, device))).toMatchObject([
      { body: expect.stringMatching(/^2 new teachings: /) as string },
    ])
  })
})

describe('where the push service', () => {
  test.each([404, 410])('status %i removes the device', async (status) => {
    await subscribed()
    await addTeaching()
    service.answers(() => ({ status }))
    await pass(minutes(30))
    expect(await devices()).toEqual([])
    await pass(days(1))
    expect(service.posted).toHaveLength(1)
  })

  test('retries after a cut connection until it succeeds', async () => {
    await subscribed()
    await addTeaching()
    service.answers(() => (service.posted.length < 3 ? 'cut' : { status: 201 }))
    await pass(minutes(10))
    expect(service.posted).toHaveLength(1)
    await pass(days(1))
    expect(service.posted).toHaveLength(3)
    expect(await sql`select failures, sent_at is not null as sent from push_subscriptions`).toEqual([
      { failures: 0, sent: true },
    ])
  })

  test('Retry-After pauses one push service only', async () => {
    await subscribed()
    await addTeaching('First')
    service.answers(() => ({ status: 429, headers: { 'retry-after': '3600' } }))
    await pass(minutes(10))
    expect(service.posted).toHaveLength(1)
    service.answers(() => ({ status: 201 }))
    await subscribed('teaching', testDevice('other-push.example.org'))
    await addTeaching('Second')
    await pass(minutes(40))
    expect(service.posted.slice(1).map(({ headers }) => headers['host'])).toEqual(['other-push.example.org'])
    await pass(minutes(40))
    expect(service.posted.filter(({ headers }) => headers['host'] === 'push.example.org')).toHaveLength(3)
  })

  test('ten refused messages remove the device, without retries', async () => {
    await subscribed()
    await sql`update push_subscriptions set sent_at = now()`
    service.answers(() => ({ status: 403 }))
    for (let count = 1; count <= pushFailures; count += 1) {
      expect(await devices()).toMatchObject([{ failures: count - 1 }])
      await addTeaching(`Teaching ${count}`)
      await pass(minutes(30))
      expect(service.posted).toHaveLength(count)
    }
    expect(await devices()).toEqual([])
  })

  test('a device that never accepted a message is removed after the first', async () => {
    await subscribed()
    service.answers(() => ({ status: 403 }))
    await addTeaching()
    await pass(minutes(30))
    expect(await devices()).toEqual([])
  })

  test('gives up a failing message after its days', async () => {
    await subscribed()
    await sql`update push_subscriptions set sent_at = now()`
    await addTeaching()
    service.answers(() => ({ status: 503 }))
    await pass(days(5))
    expect(await sql`select 1 from push_deliveries`).toHaveLength(0)
    expect(await devices()).toMatchObject([{ failures: 1 }])
  })
})

test('a stopped process leaves its message to the next', async () => {
  const device = await subscribed()
  await addTeaching()
  clock.advance(minutes(10))
  const stopped = pushWorker(app.context, {
    sender: {
      send: (_, signal) => {
        stopped.stop()
        return Promise.reject(signal.reason as Error)
      },
      close: () => undefined,
    },
  })
  await stopped.run()
  await worker.run()
  expect(service.posted.map(({ path }) => path)).toEqual([new URL(device.subscription.endpoint).pathname])
})

test('two concurrent processes send a message once', async () => {
  for (let count = 0; count < 30; count += 1) await subscribed()
  await addTeaching()
  clock.advance(minutes(10))
  const other = pushWorker((await anotherProcess(app)).context, { sender: service.sender })
  await Promise.all([worker.run(), other.run(), worker.run(), other.run()])
  await Promise.all([worker.run(), other.run()])
  expect(new Set(service.posted.map(({ path }) => path)).size).toBe(30)
  expect(service.posted).toHaveLength(30)
})

test('a lost APP_SECRET renews the keys and drops devices', async () => {
  await subscribed()
  const kept = await pushKeys(app.context)
  expect(await pushKeys(app.context)).toEqual(kept)
  const [stored] = await sql<{ privateKeySealed: string }[]>`select private_key_sealed from push_keys`
  expect(stored!.privateKeySealed).not.toContain(kept.privateKey)
  const elsewhere = { ...app.context, secrets: secretsUnder('the secret of another data folder') }
  const [first, second] = await Promise.all([pushKeys(elsewhere), pushKeys(elsewhere)])
  expect(first.publicKey).not.toBe(kept.publicKey)
  expect([second, await pushKeys(elsewhere)]).toEqual([first, first])
  expect(await devices()).toEqual([])
})

test('limits new devices of one address, not known ones', async () => {
  const known = await subscribed()
  const { attempts } = newSubscriptionRate
  await sql`update counted_attempts set attempts = array_fill(attempts[1], array[${attempts}::int]) where rule = 'new push'`
  const { subscription } = testDevice()
  const error = await refusal(call(push.subscribe, { body: { subscription, every: 'week' } }, visitor))
  expect(error.status).toBe(429)
  await subscribed('week', known)
})

// Last: from then on the server refuses this address.
test('limits requests from one address with 429', async () => {
  const { endpoint } = testDevice().subscription
  const body = { endpoint }
  await call(push.unsubscribe, { body }, visitor)
  await sql`update counted_attempts set attempts = array_fill(attempts[1], array[${pushRate.attempts}::int])`
  const error = await refusal(call(push.unsubscribe, { body }, visitor))
  expect(error.status).toBe(429)
})
