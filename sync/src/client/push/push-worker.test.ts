import 'fake-indexeddb/auto'
import { church } from '@fellowship/schema/church'
import { addNewTeachings, afterPageView, sessionGapMs } from '@fellowship/schema/whats-new/whats-new'
import { pushMessage, anyMessage } from '@fellowship/schema/push/push-message'
import { pushTexts } from '@fellowship/schema/push/push.texts'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { writeSite } from '../replica/site.store.ts'
import {
  readPushWish,
  writePushWish,
  pathOf,
  showMessage,
  stopMessages,
  subscriptionChanged,
  type PushWorkerDeps,
} from './push-worker.ts'

const uid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
let db: AppDatabase
let names = 0
let shown: { title: string; data: unknown; tag: string | undefined; close: () => void }[]
/** The browser's subscription. */
let subscribed: string | undefined
let counts: number[]
let sent: { url: string; init: RequestInit }[]
let status: number

beforeEach(() => {
  db = new AppDatabase(`push-${(names += 1)}`)
  shown = []
  counts = []
  sent = []
  status = 200
  subscribed = undefined
})
afterEach(() => db.delete())

const subscription = (endpoint: string) =>
  ({
    endpoint,
    toJSON: () => ({ endpoint, keys: {} }),
    unsubscribe: () => Promise.resolve(((subscribed = undefined), true)),
  }) as unknown as PushSubscription

const deps = (): PushWorkerDeps => ({
  openDatabase: () => new AppDatabase(db.name),
  registration: {
    showNotification: (title, { tag, data }: { tag?: string; data?: unknown } = {}) => {
      const notification = {
        title,
        tag,
        data,
        close: () => (shown = shown.filter((n) => n !== notification)),
      }
      shown.push(notification)
      return Promise.resolve()
    },
    getNotifications: () => Promise.resolve(shown as unknown as Notification[]),
    pushManager: {
      subscribe: () => Promise.resolve(subscription('https://push.example.org/again')),
      getSubscription: () => Promise.resolve(subscribed === undefined ? null : subscription(subscribed)),
    } as unknown as PushManager,
  },
  setAppBadge: (count) => Promise.resolve(void counts.push(count)),
  fetch: (url, init) => {
    sent.push({ url: url as string, init: init! })
    return Promise.resolve(new Response('{}', { status }))
  },
  maxActions: 2,
  now: () => 7,
})

test('shows a general message if reading fails', async () => {
  await showMessage('no message', deps())
  await showMessage(undefined, {
    ...deps(),
    openDatabase: () => {
      throw new Error('refused')
    },
  })
  expect(shown.map(({ title, tag }) => [title, tag])).toEqual([
    [anyMessage().title, 'any'],
    [anyMessage().title, 'any'],
  ])
})

test('counts each unseen teaching once', async () => {
  const whatsNew = addNewTeachings(undefined, { came: [uid(1), uid(2), uid(3)], left: [] })
  await db.meta.bulkPut([
    { key: 'arrivals', value: whatsNew },
    { key: 'visits', value: afterPageView(afterPageView(undefined, 0, 0), 1, sessionGapMs) },
  ])
  await showMessage(
    JSON.stringify(pushMessage([aTeaching({ uid: uid(1) }), aTeaching({ uid: uid(2) })])),
    deps(),
  )
  await showMessage(JSON.stringify(pushMessage([aTeaching({ uid: uid(4) })])), deps())
  expect(counts).toEqual([2, 3])
})

test('sends a changed subscription with its old address', async () => {
  await subscriptionChanged(subscription('https://push.example.org/new'), deps())
  expect(sent).toEqual([])
  const wish = {
    every: 'week',
    endpoint: 'https://push.example.org/old',
    publicKey: 'B',
    checkedAt: 1,
  } as const
  await writePushWish(db, wish)
  status = 503
  await subscriptionChanged(subscription('https://push.example.org/new'), deps())
  expect(await readPushWish(db)).toEqual(wish)
  status = 200
  await subscriptionChanged(undefined, deps())
  expect(sent.map(({ url, init }) => [url, JSON.parse(init.body as string) as unknown])).toMatchObject([
    ['/api/push/subscribe', { every: 'week', subscription: { endpoint: 'https://push.example.org/new' } }],
    [
      '/api/push/subscribe',
      {
        every: 'week',
        subscription: { endpoint: 'https://push.example.org/again' },
        replaces: 'https://push.example.org/old',
      },
    ],
  ])
  expect(await readPushWish(db)).toEqual({
    ...wish,
    endpoint: 'https://push.example.org/again',
    checkedAt: 7,
  })
})

describe('stopping them from a notification', () => {
  const endpoint = 'https://push.example.org/old'
  const wish = { every: 'week', endpoint, publicKey: 'B', checkedAt: 1 } as const

  test('ends the subscription also without server and database', async () => {
    subscribed = endpoint
    await showMessage('a teaching', deps())
    await stopMessages({
      ...deps(),
      openDatabase: () => {
        throw new Error('refused')
      },
      fetch: () => Promise.reject(new TypeError('Failed to fetch')),
    })
    expect(subscribed).toBeUndefined()
    expect(shown.map(({ tag }) => tag)).toEqual(['stopped'])
  })

  test('names the site as its device knows it', async () => {
    await writeSite(db, { ...church(), rev: 1, name: 'Renamed Fellowship' })
    await stopMessages(deps())
    expect(shown.map(({ title }) => title)).toEqual(['Renamed Fellowship'])
  })

  test('has a title before the site has a name', async () => {
    await writeSite(db, { ...church(), rev: 1, name: '' })
    await stopMessages(deps())
    expect(shown.map(({ title }) => title)).toEqual([pushTexts.stop])
  })

  test('sends the device and forgets the choice', async () => {
    subscribed = endpoint
    await writePushWish(db, wish)
    await stopMessages(deps())
    expect(sent.map(({ url, init }) => [url, init.credentials, init.body])).toEqual([
      ['/api/push/unsubscribe', 'omit', JSON.stringify({ endpoint })],
    ])
    expect(await readPushWish(db)).toBeUndefined()
    await subscriptionChanged(subscription('https://push.example.org/new'), deps())
    expect(sent).toHaveLength(1)
  })
})

test('a notification without buttons opens the settings', () => {
  const to = (path: string, maxActions: number) => pathOf({ data: { path, uids: [] } }, { maxActions })
  expect(to('/teaching?show=new', 2)).toBe('/teaching?show=new')
  expect(to('/teaching?show=new', 0)).toBe('/teaching?show=new#notified')
})
