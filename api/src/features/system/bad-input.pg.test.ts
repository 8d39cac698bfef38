import { beforeEach, describe, expect, test } from 'vitest'
import type { z } from 'zod'
import { audit } from '@fellowship/schema/audit/audit.contract'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { contract } from '@fellowship/schema/contract'
import { elders } from '@fellowship/schema/elders/elders.contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { listening } from '@fellowship/schema/listening/listening.contract'
import { listeningLimits } from '@fellowship/schema/listening/listening.limits'
import { push } from '@fellowship/schema/push/push.contract'
import { events } from '@fellowship/schema/events/events.contract'
import type { NewEvent } from '@fellowship/schema/events/events.schema'
import { notices } from '@fellowship/schema/notices/notices.contract'
import { pages } from '@fellowship/schema/written-pages/written-pages.contract'
import type { NewPage } from '@fellowship/schema/written-pages/written-pages.schema'
import { series } from '@fellowship/schema/series/series.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { spokenSearch } from '@fellowship/schema/spoken-search/spoken-search.contract'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { users } from '@fellowship/schema/users/users.contract'
import { site } from '@fellowship/schema/site/site.contract'
import { addressOf, call } from '@fellowship/sync/call/call'
import {
  asThemselves,
  badChapters,
  blank,
  controls,
  refusalRecorder,
  line,
  long,
  missing,
  notText,
  type Bad,
} from '../../testing/bad-input.ts'
import { testDevice } from '../../testing/push-device.ts'
import { everything } from '../../testing/everything.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp({ REGISTRATION: 'open' })
const admin = await app.signedIn('admin')
const other = await app.signedIn('user')
const elderFields = { name: 'Ana', role: 'Elder', shortBio: 'Short', extendedBio: 'Long', displayOrder: 1 }
const elder = await call(elders.create, { body: elderFields }, admin)
const account = (await call(users.list, {}, admin)).find(({ email }) => email === other.email)!
const known = await call(series.create, { body: { title: 'Faith', description: '', teachings: [] } }, admin)
const eventFields = { title: 'Tea', starts: '2026-03-01T10:00', ends: '2026-03-01T11:00' }
const gathering = await call(events.create, { body: eventFields as NewEvent }, admin)
const noticeFields = { text: 'No service', from: '2026-03-01', until: '2026-03-02' }
const notice = await call(notices.create, { body: noticeFields }, admin)
const pageFields = { title: 'Children', slug: 'children' }
const page = await call(pages.create, { body: { ...pageFields, slug: 'small-groups' } as NewPage }, admin)
const teachingFields = { title: 'Hope', speaker: 'Ana', date: '2026-11-22', scriptureReference: 'John 3:16' }
await call(sftp.credentials, {}, admin)
// Rate limits of earlier requests do not apply to this test.
beforeEach(() => app.clock.advance(61 * 60_000))

/** Pictures have calls of their own. */
const noPicture = notText.filter(([, value]) => value !== null)
const bio: Bad[] = [...notText, ...controls, ...blank, long(20_001)]
const seriesBody: Record<string, Bad[]> = {
  description: [...notText, ...controls, long(2001)],
  teachings: [
    ['text', '0198c2f4-0000-7000-8000-000000000000'],
    ['null', null],
    ['a number', 5],
    ['no uid', ['12']],
    ['nothing in it', [null]],
    ['one twice', Array(2).fill('0198c2f4-0000-7000-8000-000000000000')],
  ],
}
const localTime: Bad[] = [
  ...notText,
  ...blank,
  ...asThemselves(
    '2026-03-01',
    '2026-03-01T25:00',
    '2026-02-30T10:00',
    '2026-03-01T10:00Z',
    '1026-03-01T10:00',
  ),
]
const eventBody: Record<string, Bad[]> = {
  title: line(200),
  place: [...notText, ...controls, long(201)],
  description: [...notText, ...controls, long(2001)],
  starts: localTime,
  ends: [...localTime, ['before the start', '2026-03-01T09:00'], ['months later', '2026-06-01T09:00']],
  repeats: [
    ...notText.filter(([, value]) => value !== null),
    ...blank,
    ...asThemselves('weekly', 'FREQ=SECONDLY', 'FREQ=WEEKLY;BYDAY=SO', 'FREQ=WEEKLY;BYDAY=MO'),
    ['an address behind it', 'FREQ=DAILY\r\nATTENDEE:x'],
  ],
  cancelled: [
    ['text', '2026-03-01'],
    ['null', null],
    ['no date', ['tomorrow']],
    ['a time', ['2026-03-01T10:00']],
    ['one twice', ['2026-03-01', '2026-03-01']],
    [
      '401 dates',
      Array.from({ length: 401 }, (_, at) => new Date(at * 86_400_000).toISOString().slice(0, 10)),
    ],
  ],
}
const revision: Bad[] = [
  ['text', 'newest'],
  ['a half', 0.5],
  ['below zero', -1],
  ['null', null],
]
const day: Bad[] = [...notText, ...blank, ...asThemselves('2026-02-30', '1.3.2026', '2026-03-01T10:00')]
const noticeBody: Record<string, Bad[]> = {
  text: [...notText, ...controls, ...blank, long(501)],
  from: [...day, ['after the last', '2026-03-03']],
  until: [...day, ['before the first', '2026-02-28']],
}
const choice: Bad[] = [
  ['text', 'true'],
  ['a number', 1],
  ['null', null],
]
const pageBody: Record<string, Bad[]> = {
  title: line(100),
  slug: [...notText, ...blank, ...asThemselves('a/b', 'Children', '../admin', 'a.html'), long(61)],
  text: [...notText, ...controls, long(20_001)],
  inNavigation: choice,
  draft: choice,
}
const notGroup: Bad[] = [
  ['text', 'Ana'],
  ['a number', 5],
  ['null', null],
]
const sunday = { weekday: 'Sunday', time: '10:00', words: 'Every Sunday' }
const address: Bad[] = [
  ...notText,
  ...blank,
  ...asThemselves(
    'nobody',
    'a@b',
    '@example.org',
    'a b@example.org',
    '<b>a</b>@example.org',
    'a@b.nz, c@d.nz',
  ),
  ['a header', 'a@example.org\r\nBcc: b@example.org'],
  ['NUL', 'a\u0000@example.org'],
  ['256 letters', `${'a'.repeat(244)}@example.org`],
]
const password: Bad[] = [...notText, ['seven letters', 'Seven-7'], long(256)]
const role: Bad[] = [...notText, ...blank, ...asThemselves('owner', 'ADMIN', 'admin ')]
const token: Bad[] = [...notText, ['empty', ''], long(256)]
const order: Bad[] = [
  ['a half', 1.5],
  ['endless', 1e300],
  ['far below', -1e12],
  ['a half as text', '1.5'],
  ['far above as text', '1e12'],
]
const photo: Bad[] = [
  ...asThemselves('https://elsewhere.example/a.png', '/images/../app-secret'),
  ['a number', 5],
]
const empty: Bad = ['empty', '']
const device = testDevice().subscription
const endpoint: Bad[] = [
  ...notText,
  ...blank,
  ...asThemselves('x', 'http://push.example.org/x', 'https://10.0.0.1/x', 'https://push.example.org:22/x'),
  ['1,001 letters', `https://push.example.org/${'x'.repeat(976)}`],
]

const heardUid = '0198c2f4-0000-7000-8000-000000000001'
const place = { uid: heardUid, seconds: 60, duration: 90, listenedAt: 1, earlier: [] }
const noted = {
  id: heardUid,
  uid: heardUid,
  seconds: 1,
  text: 'A',
  removed: false,
  createdAt: 1,
  changedAt: 1,
}
const queued = { uid: heardUid, order: 'a0', removed: false, changedAt: 1 }
/** Changes with one wrong row each. */
const changesWith = (kind: string, rows: Record<string, unknown>): Bad[] =>
  Object.entries(rows).map(([what, row]) => [`${kind}: ${what}`, [{ kind, row }]])

interface Form {
  call: AnyEndpoint
  id?: number | string
  /** Valid values of the other fields; none for an update. */
  good?: Record<string, unknown>
  fields: Record<string, Bad[]>
}

const forms: Record<string, Form> = {
  'a new elder': {
    call: elders.create,
    good: elderFields,
    fields: {
      name: [...line(255), missing],
      role: [...line(100), missing],
      shortBio: [...bio, missing],
      extendedBio: [...bio, missing],
      displayOrder: order,
      imageUrl: photo,
    },
  },
  'an elder': {
    call: elders.update,
    id: elder.id,
    fields: {
      baseRev: revision,
      name: line(255),
      role: line(100),
      shortBio: bio,
      extendedBio: bio,
      displayOrder: order,
      imageUrl: photo,
    },
  },
  'a new series': {
    call: series.create,
    good: { title: 'Hope' },
    fields: {
      title: [...line(200), missing],
      uid: [...notText, ...blank, ...asThemselves('x', '1', '../x')],
      ...seriesBody,
    },
  },
  'a series': {
    call: series.update,
    id: known.uid,
    fields: {
      title: line(200),
      baseRev: [
        ['text', 'x'],
        ['below zero', -1],
        ['a half', 1.5],
      ],
      ...seriesBody,
    },
  },
  'a new account': {
    call: users.create,
    good: { email: 'new@example.org', password: 'Correct-horse-9', name: 'New', role: 'user' },
    fields: {
      email: [...address, missing],
      password: [...password, empty, missing],
      name: [...line(255), missing],
      role,
    },
  },
  'an account': {
    call: users.update,
    id: account.id,
    fields: {
      email: address,
      password,
      name: line(255),
      role,
      isActive: [['null', null], ['a list', [true]], ['text', 'true'], ['a number', 1], empty],
    },
  },
  'signing in': {
    call: auth.login,
    good: { email: admin.email, password: admin.password },
    fields: { email: [...address, missing], password: [...token, missing] },
  },
  'a registration': {
    call: auth.register,
    good: { email: 'new@example.org', password: 'Correct-horse-9', name: 'New' },
    fields: {
      email: [...address, missing],
      password: [...password, empty, missing],
      name: [...line(255), ['one letter', 'A'], missing],
    },
  },
  'a forgotten password': { call: auth.forgotPassword, fields: { email: [...address, missing] } },
  'a new password by mail': {
    call: auth.resetPassword,
    good: { token: 'x'.repeat(43), password: 'Correct-horse-9' },
    fields: { token: [...token, missing], password: [...password, empty, missing] },
  },
  'an address to confirm': { call: auth.verifyEmail, fields: { token: [...token, missing] } },
  'the SFTP password': {
    call: sftp.changePassword,
    fields: {
      newPassword: [
        ...notText,
        empty,
        ['seven letters', 'Seven-7'],
        long(129),
        missing,
        ['NUL', 'Seven-\u0000-7'],
      ],
    },
  },
  'cleaning up': {
    call: sftp.cleanup,
    fields: {
      directories: [
        ['none', []],
        ['another', ['audio']],
        ['elsewhere', ['../images']],
        ['text', 'uploads'],
        ['null', null],
      ],
      olderThanMinutes: [
        ['below zero', -1],
        ['endless', 1e300],
        ['text', '60'],
        ['null', null],
        ['a list', [60]],
      ],
    },
  },
  'an address that is shut out': {
    call: sftp.unban,
    fields: { address: [...notText, ...controls, ...blank, long(65), missing] },
  },
  'a device to tell': {
    call: push.subscribe,
    good: { subscription: device, every: 'week' },
    fields: {
      subscription: [
        ...notText,
        missing,
        ...endpoint.map(([what, value]): Bad => [`endpoint: ${what}`, { ...device, endpoint: value }]),
        ['no keys', { endpoint: device.endpoint }],
        ['a damaged key', { ...device, keys: { ...device.keys, p256dh: 'B' } }],
        ['a damaged secret', { ...device, keys: { ...device.keys, auth: '=' } }],
      ],
      every: [...notText, ...blank, missing, ...asThemselves('day', 'TEACHING')],
      replaces: endpoint,
    },
  },
  'a device to forget': { call: push.unsubscribe, fields: { endpoint: [...endpoint, missing] } },
  'what a device heard': {
    call: listening.push,
    fields: {
      changes: [
        ...notText,
        missing,
        ['none', []],
        ['too many', Array(listeningLimits.changes + 1).fill({ kind: 'position', row: place })],
        ...changesWith('elder', { 'no kind of listening': place }),
        ...changesWith('position', {
          'no uid': { ...place, uid: '../x' },
          'below zero': { ...place, seconds: -1 },
          'longer than a day': { ...place, seconds: 86_401 },
          'no length': { ...place, duration: 0 },
          'after the year 2100': { ...place, listenedAt: 1e300 },
          'too many places': { ...place, earlier: Array(6).fill({ seconds: 1, listenedAt: 1 }) },
          nothing: null,
        }),
        ...changesWith('marks', {
          'no choice': { uid: heardUid, heard: true },
          'no moment': { uid: heardUid, favourite: { on: true } },
        }),
        ...changesWith('note', {
          'no id': { ...noted, id: 'x' },
          'a control': { ...noted, text: 'a\u0000b' },
          'too long': { ...noted, text: 'x'.repeat(2_001) },
          'empty, not removed': { ...noted, text: '' },
          'removed with a text': { ...noted, removed: true },
        }),
        ...changesWith('upNext', {
          'no order': { ...queued, order: '' },
          'another alphabet': { ...queued, order: 'é' },
          'an endless order': { ...queued, order: 'a'.repeat(listeningLimits.order + 1) },
        }),
      ],
    },
  },
  'where listening is kept': {
    call: listening.choose,
    good: { on: false },
    fields: {
      on: [missing, ['text', 'true'], ['a number', 1], ['null', null], ['a list', [true]], empty],
      remove: [
        ['text', 'true'],
        ['null', null],
      ],
    },
  },
  'a new event': { call: events.create, good: eventFields, fields: eventBody },
  'an event': { call: events.update, id: gathering.id, fields: { ...eventBody, baseRev: revision } },
  'a new notice': { call: notices.create, good: noticeFields, fields: noticeBody },
  'a notice': { call: notices.update, id: notice.id, fields: { ...noticeBody, baseRev: revision } },
  'a new page': { call: pages.create, good: pageFields, fields: pageBody },
  'a page': {
    call: pages.update,
    id: page.id,
    fields: {
      ...pageBody,
      baseRev: revision,
      parts: [
        ['text', 'A'],
        ['a list', ['A']],
        ['null', null],
        ['those of About', { title: 'A' }],
      ],
    },
  },
  'the site': {
    call: site.update,
    fields: {
      name: line(100),
      shortName: line(30),
      description: [...notText, ...controls, long(101)],
      legalLine: [...notText, ...controls, long(256)],
      address: [...notGroup, ['without a street', { locality: 'Bulls' }]],
      map: [
        ...notGroup.filter(([, value]) => value !== null),
        ['off the globe', { latitude: 91, longitude: 0, zoom: 16 }],
      ],
      services: [
        ...notGroup,
        ['eight of them', Array(8).fill(sunday)],
        ['no hour', [{ ...sunday, time: '25:00' }]],
      ],
      timeZone: [...notText, ...blank, ...asThemselves('Pacific/Bulls', 'half past ten')],
      language: [...notText, ...blank, ...asThemselves('en_NZ', 'English')],
      contactEmail: address,
      accent: [...notText, ...blank, ...asThemselves('green', '#12345', 'url(x)')],
      versionLabel: [...notText, ...blank, ...asThemselves('<b>'), long(31)],
      sftpWindow: [...notGroup, ['no length', { weekday: 'Sunday', from: '11:00', to: '11:00' }]],
      logo: noPicture,
      building: noPicture,
      hero: noPicture,
      share: noPicture,
      baseRev: revision,
      expect: [...notText, ...controls, long(2001)],
      forChildren: [...notText, ...controls, long(2001)],
      parking: [...notText, ...controls, long(2001)],
      phone: [...notText, ...controls, long(31), ...asThemselves('ask Ruth')],
    },
  },
  'a recording of the Inbox': {
    call: inbox.publish,
    id: '0198c2f4-0000-7000-8000-000000000000',
    good: teachingFields,
    fields: {
      title: [...notText, ...controls, long(256)],
      speaker: [...notText, ...controls, long(256)],
      scriptureReference: [...notText, ...controls, long(256)],
      date: [...notText, long(51)],
      description: [...notText, ...controls, long(2001)],
      chapters: badChapters,
      acceptCutOff: notText.filter(([, value]) => value !== true),
      acceptSound: notText.filter(([, value]) => value !== true),
    },
  },
}

/** Bodies that are invalid as a whole. */
const wire: Record<string, { type?: string; body: string | Uint8Array<ArrayBuffer> }> = {
  'another content type': { type: 'application/x-www-form-urlencoded', body: 'name=Ana' },
  text: { type: 'text/plain', body: '{}' },
  'cut short': { body: '{"name": "An' },
  'no JSON': { body: '<name>Ana</name>' },
  'a NaN': { body: '{"name": NaN}' },
  'no UTF-8': { body: new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]) },
  'a list': { body: '[]' },
  'a text': { body: '"Ana"' },
  'a number': { body: '5' },
  null: { body: 'null' },
  'two bodies': { body: '{}{}' },
  'too much': { body: JSON.stringify({ name: 'x'.repeat(70_000) }) },
}

describe('refuses bad input of each form with a sentence, and changes nothing', () => {
  test.each(Object.entries(forms))(
    'refuses bad input of %s',
    async (_, { call: endpoint, id, good = {}, fields }) => {
      const url = app.url + addressOf(endpoint, id === undefined ? {} : { params: { id, uid: id } })
      const json = { 'content-type': 'application/json' }
      const before = await everything(app)
      const { send, sent, wrong } = await refusalRecorder(admin, endpoint)
      for (const [what, { type, body }] of Object.entries(wire)) {
        const headers = type === undefined ? json : { 'content-type': type }
        const codes = ['malformed_json', 'unsupported_media', 'too_large', 'invalid_input']
        await send(what, url, { headers, body }, codes)
      }
      for (const [field, bad] of Object.entries(fields)) {
        for (const [what, value] of bad) {
          const body = JSON.stringify({ ...good, [field]: value })
          await send(`${field}: ${what}`, url, { headers: json, body }, ['invalid_input'], field)
        }
      }
      expect(wrong).toEqual({})
      const declared = (endpoint.body as z.ZodObject).shape
      expect(Object.keys(declared).filter((name) => !(name in fields))).toEqual([])
      expect(sent()).toBeGreaterThanOrEqual(20)
      expect(await everything(app)).toEqual(before)
    },
  )
})

describe('addresses', () => {
  const calls = Object.values(contract).flatMap((group) => Object.values<AnyEndpoint>(group))

  test('refuses bad numbers and ids in paths', async () => {
    const numbered = calls.filter(({ path }) => path.includes(':id'))
    expect(numbered.length).toBeGreaterThan(5)
    const before = await everything(app)
    const ids = `x 0 -1 1.5 1e3x 99999999999 NaN null %00 %2e%2e%2fapp-secret 1;drop ١ ' {} []`.split(' ')
    for (const endpoint of numbered) {
      const { send, wrong } = await refusalRecorder(admin, endpoint)
      const body =
        endpoint.encoding === 'multipart' ? new FormData() : endpoint.encoding === 'json' ? '{}' : null
      const headers: Record<string, string> =
        typeof body === 'string' ? { 'content-type': 'application/json' } : {}
      for (const id of ids) {
        const url = app.url + endpoint.path.replace(':id', id)
        await send(`${endpoint.path} ${id}`, url, { headers, body }, ['invalid_input'], 'id')
      }
      expect(wrong).toEqual({})
    }
    expect(await everything(app)).toEqual(before)
  })

  test.each<[AnyEndpoint, Record<string, string[]>]>([
    [
      audit.list,
      {
        area: ['%00', 'x'.repeat(256)],
        actor: ['%07', 'x'.repeat(256)],
        q: ['%00', 'x'.repeat(256)],
        before: ['x', '0', '-1', '1.5', '1e300', 'NaN', ''],
        limit: ['x', '0', '-1', '1.5', '51', '1e300'],
      },
    ],
    [backup.createManual, { id: ['', 'x', '1', '..%2fapp-secret', '%00', '00000000-0000-4000-8000'] }],
    [teachings.search, { q: ['x'.repeat(201)] }],
    [spokenSearch.said, { q: ['x'.repeat(201)] }],
    [spokenSearch.dictionary, { from: ['x', '-1', '0.5', '1e9'] }],
    [
      sync.pull,
      { since: ['x'.repeat(501)], limit: ['x', '0', '-1', '1.5', '1e300'], schema: ['x', '-1', '1.5'] },
    ],
  ])('refuses bad values in the query of $path', async (endpoint, queries) => {
    const { send, wrong } = await refusalRecorder(admin, endpoint)
    for (const [name, values] of Object.entries(queries)) {
      for (const value of values) {
        const url = `${app.url}${endpoint.path}?${name}=${value}`
        const about = ['area', 'actor', 'q'].includes(name) && value.startsWith('%') ? 'Search' : name
        await send(`${name}=${value}`, url, {}, ['invalid_input'], about)
      }
    }
    expect(wrong).toEqual({})
  })

  test.each(['%00', '%22%0d%0aX-Injected:%20a', '%c4%81', '%f0%9f%8e%b5', '1.-1.x', '..%2f'])(
    'the invalid cursor %s gets a snapshot',
    async (since) => {
      const response = await fetch(`${app.url}${sync.pull.path}?since=${since}`)
      expect(response.headers.has('x-injected')).toBe(false)
      expect([response.status, await response.json()]).toMatchObject([200, { mode: 'snapshot' }])
    },
  )
})
