import { listening } from '@fellowship/schema/listening/listening.contract'
import { listeningLimits, listeningRate } from '@fellowship/schema/listening/listening.limits'
import type {
  ListeningChange,
  ListeningEvent,
  ListeningPage,
} from '@fellowship/schema/listening/listening.schema'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { inProcessChanges } from '../../machine/changes.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { renewEpoch } from '../sync/sync.ts'
import { countBytes, listenForHints } from './listening.ts'

const app = await testApp()
const { sql } = app.context
const admin = await app.signedIn('admin')
const ruth = await app.signedIn()
const sam = await app.signedIn()
const visitor = app.client()
const now = () => app.clock.now().getTime()

beforeEach(async () => {
  // The limits of earlier requests do not apply to this test.
  app.clock.advance(61_000)
  await sql`delete from listening_rows`
  await sql`delete from listening_accounts`
  await sql`delete from audit_log where action like 'listening.%'`
})

const uid = (number: number) => `6f1c1f0e-2b7a-4c58-a1de-${String(number).padStart(12, '0')}`
const position = (number: number, seconds: number, listenedAt: number): ListeningChange => ({
  kind: 'position',
  row: { uid: uid(number), seconds, duration: 2400, listenedAt, earlier: [] },
})
const note = (number: number, text: string, changedAt: number, removed = false): ListeningChange => ({
  kind: 'note',
  row: {
    id: uid(number + 500),
    uid: uid(number),
    seconds: 60,
    text,
    createdAt: 1000,
    changedAt,
    removed,
  },
})
const favourite = (number: number, on: boolean, at: number): ListeningChange => ({
  kind: 'marks',
  row: { uid: uid(number), favourite: { on, at } },
})
const upNext = (number: number, order: string, changedAt: number): ListeningChange => ({
  kind: 'upNext',
  row: { uid: uid(number), order, removed: false, changedAt },
})

const choose = (body: { on: boolean; remove?: boolean }, client: TestClient = ruth) =>
  call(listening.choose, { body }, client)
const push = (changes: ListeningChange[], client: TestClient = ruth) =>
  call(listening.push, { body: { changes } }, client)
const send = (events: unknown[], client: TestClient = ruth, sender = 'a session') =>
  call(listening.send, { body: { sender, events } }, client)
const pull = (client: TestClient = ruth, since?: string) =>
  call(listening.pull, { query: { ...(since !== undefined && { since }) } }, client)
async function pullOn(client: TestClient = ruth, since?: string) {
  const page = await pull(client, since)
  if (!page.on) expect.fail('it is turned off')
  return page as Extract<ListeningPage, { on: true }>
}
const stored = () => sql`select * from listening_rows order by user_id, kind, key`
const auditLines = () =>
  sql`select action, subject from audit_log where action like 'listening.%' order by id`

describe('refused', () => {
  test('rejects anonymous requests with 401', async () => {
    for (const attempt of [
      () => pull(visitor),
      () => push([position(1, 60, 1000)], visitor),
      () => choose({ on: true }, visitor),
    ])
      expect(await refusal(attempt())).toMatchObject({ status: 401, code: 'unauthorized' })
    expect([await stored(), await auditLines()]).toEqual([[], []])
  })

  test('rejects a request without the CSRF token', async () => {
    const answer = await ruth.fetch(`${app.url}${listening.choose.path}`, {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: '{"on":true}',
    })
    expect([answer.status, await answer.json()]).toMatchObject([403, { code: 'csrf' }])
    expect(await pull()).toMatchObject({ on: false })
  })

  test('rejects a session of another user', async () => {
    await choose({ on: true })
    const headers = { 'x-acting-user': '999999' }
    const attempt = call(listening.push, { body: { changes: [position(1, 60, 1)] }, headers }, ruth)
    expect(await refusal(attempt)).toMatchObject({ status: 401 })
    expect(await stored()).toEqual([])
  })

  test('rejects rows while it is turned off', async () => {
    expect(await refusal(push([position(1, 60, 1000)]))).toMatchObject({ status: 404, sentence: texts.isOff })
    await choose({ on: true })
    await choose({ on: false })
    expect(await refusal(push([position(1, 60, 1000)]))).toMatchObject({ status: 404 })
    expect(await stored()).toEqual([])
  })

  const at = { seconds: 60, duration: 2400, listenedAt: 1000, earlier: [] }
  const aNote = { id: uid(9), uid: uid(1), seconds: 1, createdAt: 1, changedAt: 1 }
  const aPlace = { uid: uid(1), removed: false, changedAt: 1 }
  test.each<[string, unknown]>([
    ['nothing', []],
    ['no list', 'x'],
    ['another kind', [{ kind: 'secret', row: { uid: uid(1) } }]],
    ['a uid that is none', [{ kind: 'position', row: { ...at, uid: '../x' } }]],
    ['a second before the beginning', [{ kind: 'position', row: { ...at, uid: uid(1), seconds: -1 } }]],
    ['a second that is none', [{ kind: 'position', row: { ...at, uid: uid(1), seconds: null } }]],
    ['a recording of no length', [{ kind: 'position', row: { ...at, uid: uid(1), duration: 0 } }]],
    ['a moment of another century', [{ kind: 'position', row: { ...at, uid: uid(1), listenedAt: 1e14 } }]],
    [
      'six earlier places',
      [
        {
          kind: 'position',
          row: { ...at, uid: uid(1), earlier: Array(6).fill({ seconds: 1, listenedAt: 1 }) },
        },
      ],
    ],
    ['a mark that is neither on nor off', [{ kind: 'marks', row: { uid: uid(1), heard: { on: 1, at: 1 } } }]],
    ['a note with a NUL', [{ kind: 'note', row: { ...aNote, text: 'a\u0000b', removed: false } }]],
    [
      'a note of 2,001 characters',
      [{ kind: 'note', row: { ...aNote, text: 'x'.repeat(2001), removed: false } }],
    ],
    ['an empty note', [{ kind: 'note', row: { ...aNote, text: '', removed: false } }]],
    ['a removed note with words', [{ kind: 'note', row: { ...aNote, text: 'secret', removed: true } }]],
    ['a place in Up next that is none', [{ kind: 'upNext', row: { ...aPlace, order: 'a' } }]],
    ['a place in Up next with a NUL', [{ kind: 'upNext', row: { ...aPlace, order: 'a0\u0000' } }]],
    ['101 changes', Array.from({ length: 101 }, (_, index) => position(index, 60, 1))],
  ])('rejects %s with 400', async (_, changes) => {
    await choose({ on: true })
    const given = changes as unknown[]
    const list = given.length === 1 && Array.isArray(given) ? [position(7, 60, 1), ...given] : given
    const body = { changes: list as ListeningChange[] }
    expect(await refusal(call(listening.push, { body }, ruth))).toMatchObject({
      status: 400,
      code: 'invalid_input',
    })
    expect(await stored()).toEqual([])
  })

  test('turning it on and deleting at once: 400', async () => {
    const error = await refusal(choose({ on: true, remove: true }))
    expect([error.status, error.sentence]).toEqual([400, 'Turn it off to delete what the server holds.'])
  })

  test('a full account only accepts changes', async () => {
    await choose({ on: true })
    await push([position(1, 60, 1000)])
    const [{ userId } = { userId: 0 }] = await sql<
      { userId: number }[]
    >`select user_id from listening_accounts`
    await sql`insert into listening_rows (user_id, kind, key, rev, content)
      select ${userId}, 'marks', gen_random_uuid(), 1, '{}'::jsonb
      from generate_series(2, ${listeningLimits.rows})`
    expect(await refusal(push([position(2, 60, 1000)]))).toMatchObject({ status: 413, sentence: texts.full })
    const { rows, held } = await push([position(1, 90, 2000)])
    expect([rows, held]).toEqual([
      [{ kind: 'position', row: expect.objectContaining({ seconds: 90 }) as unknown }],
      20_000,
    ])
  })

  test('rejects half a character in a note', async () => {
    await choose({ on: true })
    const error = await refusal(push([position(1, 60, now()), note(1, 'cut here \ud83d', now())]))
    expect([error.status, error.sentence]).toEqual([
      400,
      expect.stringContaining('must not hold control characters'),
    ])
    expect(await sql`select 1 from listening_rows`).toEqual([])
  })

  test('limits the requests of one person', async () => {
    for (let count = 0; count < listeningRate.attempts; count += 1) await pull()
    expect(await refusal(pull())).toMatchObject({ status: 429 })
    expect(await pull(sam)).toMatchObject({ on: false })
  })
})

describe('merges', () => {
  test('a repeated push changes nothing', async () => {
    await choose({ on: true })
    const changes = [
      position(1, 60, 1000),
      note(1, 'Look\nup', 1000),
      favourite(1, true, 1000),
      upNext(1, 'a0', 1000),
    ]
    expect(await push(changes)).toEqual({ rows: changes, held: 4 })
    const before = [await stored(), await sql`select * from listening_accounts`]
    expect(await push(changes)).toEqual({ rows: changes, held: 4 })
    expect([await stored(), await sql`select * from listening_accounts`]).toEqual(before)
  })

  test('a late push becomes an earlier place', async () => {
    await choose({ on: true })
    await push([position(1, 900, 5000)])
    const { rows } = await push([position(1, 60, 1000)])
    expect(rows[0]!.row).toMatchObject({ seconds: 900, earlier: [{ seconds: 60, listenedAt: 1000 }] })
    expect((await pullOn()).changes).toEqual(rows)
  })

  test('a removed note stays removed', async () => {
    await choose({ on: true })
    await push([note(1, 'Private words', 1000)])
    await push([note(1, '', 2000, true)])
    const { rows } = await push([note(1, 'Private words', 1000)])
    expect(rows[0]!.row).toMatchObject({ removed: true, text: '' })
    expect(JSON.stringify(await stored())).not.toContain('Private words')
  })

  test('merges two states of a row in one request', async () => {
    await choose({ on: true })
    const { rows, held } = await push([favourite(1, false, 2000), favourite(1, true, 1000)])
    expect([rows[0], held]).toEqual([favourite(1, false, 2000), 1])
    expect(rows[1]).toEqual(rows[0])
  })

  test('a moment of the future becomes now', async () => {
    await choose({ on: true })
    const { rows } = await push([favourite(1, true, now() + 365 * 86_400_000)])
    expect(rows).toEqual([favourite(1, true, now())])
    app.clock.advance(1000)
    expect((await push([favourite(1, false, now())])).rows).toEqual([favourite(1, false, now())])
  })

  test('merges twelve parallel requests', async () => {
    await choose({ on: true })
    await Promise.all(Array.from({ length: 12 }, (_, index) => push([position(index, 60, 1000 + index)])))
    const revs = await sql<{ rev: number }[]>`select distinct rev from listening_rows`
    expect([revs.length, (await pullOn()).changes.length]).toEqual([12, 12])
  })
})

describe('events', () => {
  const aged = (number: number, seconds: number, age: number, after?: number): ListeningEvent => ({
    kind: 'position',
    ...(after !== undefined && { after }),
    row: { uid: uid(number), seconds, duration: 2400, listenedAt: { age }, earlier: [] },
  })

  test('the server stamps an event by its age', async () => {
    await choose({ on: true })
    expect(await send([aged(1, 60, 5_000)])).toEqual({ results: [position(1, 60, now() - 5_000)], held: 1 })
  })

  test('a repeated event changes nothing, although its latency differs', async () => {
    await choose({ on: true })
    const first = await send([aged(1, 60, 5_000)])
    app.clock.advance(6_000)
    expect(await send([aged(1, 60, 10_900)])).toEqual(first)
  })

  test('a place beside that of another device keeps both', async () => {
    await choose({ on: true })
    await send([aged(1, 60, 9_000)])
    const { results } = await send([aged(1, 900, 5_000, now() - 8_000)])
    expect(results).toMatchObject([{ row: { seconds: 900, earlier: [{ seconds: 60 }] } }])
  })

  test('a place that continues from another replaces it', async () => {
    await choose({ on: true })
    await send([aged(1, 60, 9_000)])
    const { results } = await send([aged(1, 900, 5_000, now() - 9_000)])
    expect(results).toMatchObject([{ row: { seconds: 900, earlier: [] } }])
  })

  test('rejects a bad event and accepts the others', async () => {
    await choose({ on: true })
    const bad = { kind: 'position', row: { uid: uid(2), seconds: -1 } }
    const { results, held } = await send([aged(1, 60, 0), bad, upNext(3, 'a', 1), 'x', aged(4, 60, -1)])
    expect(results).toEqual([
      position(1, 60, now()),
      { rejected: texts.cannotBeKept },
      { rejected: texts.badOrder },
      { rejected: texts.cannotBeKept },
      { rejected: texts.cannotBeKept },
    ])
    expect([held, await stored()]).toMatchObject([1, { length: 1 }])
  })

  test('rejects new rows of a full account, not changes', async () => {
    await choose({ on: true })
    await send([aged(1, 60, 9_000)])
    await sql`insert into listening_rows (user_id, kind, key, rev, content)
      select user_id, 'marks', gen_random_uuid(), 1, '{}'::jsonb
      from listening_accounts, generate_series(2, ${listeningLimits.rows})`
    const { results, held } = await send([aged(2, 60, 0), aged(1, 90, 0)])
    expect([results, held]).toMatchObject([[{ rejected: texts.full }, { row: { seconds: 90 } }], 20_000])
  })

  test('requires an account that keeps listening', async () => {
    expect(await refusal(send([aged(1, 60, 0)]))).toMatchObject({ status: 404, sentence: texts.isOff })
    expect(await refusal(send([aged(1, 60, 0)], visitor))).toMatchObject({ status: 401 })
  })
})

describe('hints', () => {
  /** The event stream of a person, with the events it had since the last look. */
  async function stream(client: TestClient) {
    const leaving = new AbortController()
    onTestFinished(() => leaving.abort())
    const answer = await client.fetch(`${app.url}${sync.events.path}`, { signal: leaving.signal })
    const reader = answer.body!.pipeThrough(new TextDecoderStream()).getReader()
    let text = ''
    void (async () => {
      for (let part = await reader.read(); !part.done; part = await reader.read()) text += part.value
    })().catch(() => undefined)
    await expect.poll(() => text).toContain('retry')
    return () => [...text.matchAll(/event: listening\ndata: ?(.*)/g)].map(([, sender]) => sender)
  }

  test('reach the person’s open devices alone', async () => {
    await choose({ on: true })
    const [own, others, anonymous] = [await stream(ruth), await stream(sam), await stream(visitor)]
    await send([position(1, 60, 1000)], ruth, 'one session')
    await expect.poll(own).toEqual(['one session'])
    expect([others(), anonymous()]).toEqual([[], []])
  })

  test('report a change, not a repeated event', async () => {
    await choose({ on: true })
    const seen = await stream(ruth)
    await send([position(1, 60, 1000)])
    await send([position(1, 60, 1000)], ruth, 'again')
    await push([favourite(1, true, 1000)])
    await choose({ on: false })
    await expect.poll(seen).toEqual(['a session', '', ''])
  })

  test('reach devices of other processes', async () => {
    const from: string[] = []
    const other = {
      ...app.context,
      node: { ...app.context.node, process: 'another' },
      changes: inProcessChanges(),
    }
    await choose({ on: true })
    const [{ userId } = { userId: 0 }] = await sql<
      { userId: number }[]
    >`select user_id from listening_accounts`
    other.changes.onHint(userId, (sender) => from.push(sender))
    await listenForHints(other)
    await send([position(1, 60, 1000)], ruth, 'one session')
    await expect.poll(() => from).toEqual(['one session'])
  })
})

describe('pulls', () => {
  test('only what changed since, and nothing when nothing did', async () => {
    await choose({ on: true })
    await push([position(1, 60, 1000), position(2, 60, 1000)])
    const first = await pullOn()
    expect(first).toMatchObject({ anew: true, more: false, held: 2, serverTime: now() })
    await push([position(2, 90, 2000)])
    const second = await pullOn(ruth, first.next)
    expect([second.anew, second.changes]).toMatchObject([false, [{ row: { uid: uid(2), seconds: 90 } }]])
    expect((await pullOn(ruth, second.next)).changes).toEqual([])
  })

  test('pages together hold every row', async () => {
    await choose({ on: true })
    for (let at = 0; at < 12; at += 1)
      await push(Array.from({ length: 99 }, (_, index) => position(at * 99 + index, 60, 1000)))
    const seen: string[] = []
    let [since, more] = [undefined as string | undefined, true]
    while (more) {
      const page = await pullOn(ruth, since)
      seen.push(...page.changes.map(({ row }) => row.uid))
      ;[since, more] = [page.next, page.more]
    }
    expect([seen.length, new Set(seen).size]).toEqual([12 * 99, 12 * 99])
  })

  test.each(['x', '1.5.x', '%00', '1.999999.6f1c1f0e-2b7a-4c58-a1de-000000000000'])(
    'the invalid cursor %s starts anew',
    async (since) => {
      await choose({ on: true })
      await push([position(1, 60, 1000)])
      expect(await pullOn(ruth, since)).toMatchObject({ anew: true, changes: [{ row: { uid: uid(1) } }] })
    },
  )

  test('a restore or deletion starts anew', async () => {
    await choose({ on: true })
    await push([position(1, 60, 1000)])
    const { next } = await pullOn()
    await sql.begin((tx) => renewEpoch(tx))
    const restored = await pullOn(ruth, next)
    expect(restored.anew).toBe(true)
    await choose({ on: false, remove: true })
    await choose({ on: true })
    expect(await pullOn(ruth, restored.next)).toMatchObject({ anew: true, changes: [], held: 0 })
  })
})

describe('the budget of bytes', () => {
  const long = (number: number) => note(number, 'ā'.repeat(2_000), 1000)
  const rejected = (sentence: string) => ({ results: [{ rejected: sentence }] })
  const setBytes = (client: { email: string }, bytes: number) =>
    sql`update listening_accounts set bytes = ${bytes} where user_id = (select id from users where email = ${client.email})`

  test('a full account rejects notes, not places or deletions', async () => {
    await choose({ on: true })
    await send([long(1), position(1, 60, 1000)])
    await setBytes(ruth, listeningLimits.bytes - 1_000)
    expect(await send([long(2)])).toMatchObject(rejected(texts.fullOfBytes))
    expect(await refusal(push([long(2)]))).toMatchObject({ status: 413, sentence: texts.fullOfBytes })
    const { results } = await send([position(1, 90, 2000), note(1, '', 3000, true), long(2)])
    expect(results.map((result) => 'rejected' in result)).toEqual([false, false, false])
  })

  test('a full server takes rows of accounts with few', async () => {
    for (const person of [ruth, sam]) await choose({ on: true }, person)
    await setBytes(sam, listeningLimits.allBytes)
    await send([long(1)])
    await setBytes(ruth, listeningLimits.fewBytes)
    expect(await send([long(2)])).toMatchObject(rejected(texts.serverFull))
    await setBytes(ruth, 0)
    await setBytes(sam, listeningLimits.mostBytes)
    expect(await send([long(3)])).toMatchObject(rejected(texts.serverFull))
  })

  test('counts the bytes of rows that come, change and go', async () => {
    await choose({ on: true })
    await push([long(1), position(1, 60, 1000), favourite(2, true, 1000)])
    await push([note(1, 'Shorter', 2000), favourite(2, false, 2000), upNext(3, 'a0', 1000)])
    const counted = await sql`select bytes from listening_accounts`
    await sql.begin((tx) => countBytes(tx))
    expect(await sql`select bytes from listening_accounts`).toEqual(counted)
    expect(counted[0]!['bytes']).toBeGreaterThan(400)
  })
})

describe('belongs to one person', () => {
  test('nobody sees or changes another’s, an administrator neither', async () => {
    for (const person of [ruth, sam, admin]) await choose({ on: true }, person)
    await push([note(1, 'Of Ruth', 1000), position(1, 900, 5000)])
    await push([note(1, 'Of Sam', 2000)], sam)
    expect((await pullOn(admin)).changes).toEqual([])
    expect((await pullOn(sam)).changes).toEqual([note(1, 'Of Sam', 2000)])
    expect((await pullOn()).changes).toContainEqual(note(1, 'Of Ruth', 1000))
  })

  test('turning it off keeps rows, deleting does not', async () => {
    await choose({ on: true })
    await push([note(1, 'Words', 1000)])
    expect(await choose({ on: false })).toEqual({ on: false, held: 1 })
    expect(await pull()).toEqual({ on: false, held: 1, serverTime: now() })
    await choose({ on: true })
    expect((await pullOn()).changes).toHaveLength(1)
    expect(await choose({ on: false, remove: true })).toEqual({ on: false, held: 0 })
    expect([await stored(), await sql`select * from listening_accounts`]).toEqual([[], []])
    expect(await auditLines()).toEqual(
      ['turned_on', 'turned_off', 'turned_on', 'turned_off', 'deleted'].map((done) => ({
        action: `listening.${done}`,
        subject: 'My listening',
      })),
    )
  })

  test('turning it on again logs nothing', async () => {
    await choose({ on: true })
    const { next } = await pullOn()
    await choose({ on: true })
    expect([(await pullOn(ruth, next)).anew, await auditLines()]).toMatchObject([false, { length: 1 }])
  })

  test('deleting an account deletes its listening alone', async () => {
    const gone = await app.signedIn()
    await choose({ on: true }, gone)
    await choose({ on: true }, sam)
    await push([note(1, 'Of who is gone', 1000), position(1, 60, 1000)], gone)
    await push([note(1, 'Of Sam', 1000)], sam)
    const account = (await call(users.list, {}, admin)).find(({ email }) => email === gone.email)!
    await call(users.remove, { params: { id: account.id } }, admin)
    expect(await refusal(pull(gone))).toMatchObject({ status: 401 })
    expect(await sql`select content ->> 'text' as text from listening_rows`).toEqual([{ text: 'Of Sam' }])
    expect(await sql`select 1 from listening_accounts`).toHaveLength(1)
  })
})
