import 'fake-indexeddb/auto'
import type {} from '@fellowship/api/testing/pg-global-setup'
import { testApp } from '@fellowship/api/testing/test-app'
import { renewEpoch } from '@fellowship/api/features/sync/sync'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import {
  notePosition,
  readPositions,
  readMarks,
  writeMark,
} from '@fellowship/sync/client/listening/listening.store'
import { claimAnonymous, startSession } from '@fellowship/sync/client/listening/listening-accounts'
import { readAnonymous } from '@fellowship/sync/client/listening/anonymous.store'
import { readNotes, removeNote, writeNote } from '@fellowship/sync/client/listening/notes.store'
import { notePlayed, writeUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { upNextOrder } from '@fellowship/sync/protocol/up-next'
import { beforeEach, describe, expect, test } from 'vitest'
import { idOf, Phone } from './listening-phone.ts'

const app = await testApp()
const { sql } = app.context
const ruth = await app.signedIn()
const sam = await app.signedIn()
const [ruthId, samId] = [await idOf(ruth), await idOf(sam)]
const time = () => app.clock.now().getTime()
const hour = 3_600_000

beforeEach(async () => {
  app.clock.advance(61_000)
  await sql`delete from listening_rows`
  await sql`delete from listening_accounts`
})

const uid = (digit: number) => `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${digit}`
const phone = (wrong = 0) => new Phone('phone', time, wrong)
const listen = (at: Phone, teaching: number, seconds: number) =>
  notePosition(uid(teaching), { seconds, duration: 2400, at: at.now() }, at.db)
const write = (at: Phone, teaching: number, text: string) =>
  writeNote({ uid: uid(teaching), seconds: 60, text }, at.now(), at.db)
const words = async (at: Phone, teaching: number) =>
  (await readNotes(uid(teaching), at.db)).map(({ text }) => text).sort()
const place = async (at: Phone, teaching: number) =>
  (await readPositions(at.db)).find((each) => each.uid === uid(teaching))?.seconds
/** Two devices of one person; the first has listening from before sync was turned on. */
async function pair({
  wrong = [0, 0],
  before,
}: { wrong?: readonly number[]; before?: (one: Phone) => Promise<unknown> } = {}) {
  const [one, two] = [phone(wrong[0]), phone(wrong[1])]
  await one.signIn(ruth)
  await before?.(one)
  await one.turnOn()
  await one.sync()
  await two.signIn(ruth)
  await two.sync()
  return [one, two] as const
}

describe('nothing of one person reaches another', () => {
  test('a second person on one phone sees nothing', async () => {
    const [one] = await pair()
    await write(one, 1, 'Of Ruth')
    await notePlayed(uid(1), one.db)
    await one.signOut({ keep: true })
    expect([await words(one, 1), await one.db.meta.get('playedBefore')]).toEqual([[], undefined])
    await one.signIn(sam)
    expect([await words(one, 1), await one.db.meta.get('playedBefore')]).toEqual([[], undefined])
    await write(one, 1, 'Of Sam')
    await one.turnOn()
    await one.sync()
    expect(await sql`select user_id, content ->> 'text' as text from listening_rows`).toEqual([
      { userId: samId, text: 'Of Sam' },
    ])
    await one.signOut({ keep: false })
    await one.signIn(ruth)
    await one.sync()
    expect(await words(one, 1)).toEqual(['Of Ruth'])
  })

  test('a late answer shows nothing to the next person', async () => {
    const [one, two] = await pair()
    await write(two, 1, 'Of Ruth')
    await two.sync()
    one.person = {
      ...ruth,
      fetch: async (...request) => {
        const answer = await ruth.fetch(...request)
        if ((request[0] as string).includes('/api/listening')) await startSession(one.db, samId)
        return answer
      },
    }
    await one.sync()
    expect([await words(one, 1), (await one.shown()).owner]).toEqual([[], samId])
  })

  test('anonymous listening needs a claim', async () => {
    await pair()
    const three = phone()
    await write(three, 2, 'Of a visitor')
    await three.signIn(ruth)
    await three.sync()
    expect([await words(three, 2), await readAnonymous(three.db)]).toMatchObject([
      [],
      [{ kind: 'note', words: 'Of a visitor' }],
    ])
    await claimAnonymous(three.db, ruthId)
    await three.sync()
    expect([await words(three, 2), await readAnonymous(three.db)]).toEqual([['Of a visitor'], []])
    expect(await sql`select 1 from listening_rows`).toHaveLength(1)
  })

  test('a person without sync sees no other’s listening', async () => {
    const [one] = await pair({ before: (each) => write(each, 1, 'Of Ruth') })
    await one.signOut({ keep: true })
    await one.signIn(sam)
    await one.sync()
    expect(await one.shown()).toEqual({ owner: samId, rows: [] })
    await write(one, 1, 'Of Sam, on this phone alone')
    await one.signOut({ keep: true })
    await one.signIn(ruth)
    await one.sync()
    expect([await words(one, 1), await readAnonymous(one.db)]).toEqual([['Of Ruth'], []])
    await one.signIn(sam)
    expect(await words(one, 1)).toEqual(['Of Sam, on this phone alone'])
    expect(await sql`select content ->> 'text' as text from listening_rows`).toEqual([{ text: 'Of Ruth' }])
  })

  test('signing out can remove listening until the next sign-in', async () => {
    const [one, two] = await pair({ before: (each) => write(each, 1, 'Of Ruth') })
    await two.signOut({ keep: false })
    expect([await two.shown(), await two.db.inactiveListening.count()]).toEqual([{ owner: 0, rows: [] }, 0])
    await two.signIn(ruth)
    await two.sync()
    expect(await two.shown()).toEqual(await one.shown())
  })
})

describe('nothing is lost', () => {
  test('every kind of listening reaches the other device', async () => {
    const [one, two] = await pair({
      before: async (each) => {
        await listen(each, 1, 900)
        await write(each, 1, 'Look up')
        await writeMark(uid(2), 'favourite', true, each.now(), each.db)
        await writeUpNext({ type: 'addToEnd', uids: [uid(3), uid(1)] }, each.now(), each.db)
      },
    })
    expect([await two.shown(), await one.unsent(), await two.unsent()]).toEqual([await one.shown(), 0, 0])
    expect((await readMarks(two.db))[0]?.favourite?.on).toBe(true)
    expect(upNextOrder(await two.db.upNext.toArray())).toEqual([uid(3), uid(1)])
  })

  test('a lost answer is requested again', async () => {
    const [one, two] = await pair()
    await write(one, 1, 'First')
    const answers = ['good', 'answer lost'] as const
    let asked = 0
    await expect(one.sync(() => answers[(asked += 1) - 1] ?? 'good')).rejects.toThrow()
    await write(one, 1, 'Second')
    await one.sync()
    await two.sync()
    expect([await words(two, 1), await one.unsent()]).toEqual([['First', 'Second'], 0])
  })

  test('a change during a request stays unsent', async () => {
    const [one, two] = await pair()
    await listen(one, 1, 300)
    let isHeldUp = true
    one.person = {
      ...ruth,
      fetch: async (...request) => {
        const answer = await ruth.fetch(...request)
        if (request[1]?.method === 'POST' && isHeldUp) {
          isHeldUp = false
          app.clock.advance(1000)
          await listen(one, 1, 320)
        }
        return answer
      },
    }
    await one.sync()
    await two.sync()
    expect(await place(two, 1)).toBe(320)
  })

  test('alternating devices leave one position', async () => {
    const [one, two] = await pair({ before: (each) => listen(each, 1, 300) })
    for (const [at, device] of [one, one, two, two, one].entries()) {
      app.clock.advance(40_000)
      await listen(device, 1, 340 + at * 40)
      for (const each of [device, one, two]) await each.sync()
    }
    const [row] = await readPositions(two.db)
    expect([row?.seconds, row?.earlier, await two.shown()]).toEqual([500, [], await one.shown()])
  })

  test('a rejected row is quarantined with a sentence', async () => {
    const [one, two] = await pair()
    await listen(one, 1, 300)
    await listen(one, 2, 400)
    await one.db.upNext.put({ uid: uid(3), order: 'a', removed: false, changedAt: time() })
    await one.db.unsentListening.put({ kind: 'upNext', key: uid(3), own: [], nonce: 'x' })
    await one.db.positions.put({ uid: uid(4), seconds: -5, duration: 1, listenedAt: 1, earlier: [] })
    await one.db.unsentListening.put({ kind: 'position', key: uid(4), own: [], nonce: 'x' })
    await one.sync()
    await two.sync()
    expect([await place(two, 1), await place(two, 2)]).toEqual([300, 400])
    expect((await one.db.unsentListening.toArray()).map(({ key, refused }) => [key, refused])).toEqual([
      [uid(4), texts.cannotBeKept],
      [uid(3), texts.badOrder],
    ])
  })

  test('devices send missing rows after a restore', async () => {
    const [one, two] = await pair({ before: (each) => listen(each, 1, 300) })
    const copies = [await sql`select * from listening_accounts`, await sql`select * from listening_rows`]
    app.clock.advance(hour)
    await listen(two, 1, 900)
    await write(two, 2, 'After the backup')
    await two.sync()
    await sql.begin(async (tx) => {
      await tx`delete from listening_rows`
      await tx`insert into listening_rows ${tx(copies[1]!)}`
      await tx`update listening_accounts set ${tx(copies[0]![0]!, 'rev')}`
      await renewEpoch(tx)
    })
    await one.sync()
    expect(await place(one, 1)).toBe(300)
    await two.sync()
    expect([await place(two, 1), await words(two, 2)]).toEqual([900, ['After the backup']])
    await one.sync()
    expect(await one.shown()).toEqual(await two.shown())
  })

  test('sync turned off and on again merges both devices', async () => {
    const [one, two] = await pair({ before: (each) => write(each, 1, 'Before') })
    await one.turnOff({ remove: true })
    await two.sync()
    await write(two, 1, 'Meanwhile')
    expect([await words(one, 1), await words(two, 1)]).toEqual([['Before'], ['Before', 'Meanwhile']])
    expect(await sql`select 1 from listening_rows`).toEqual([])
    await one.turnOn()
    for (const each of [one, two, one]) await each.sync()
    expect([await words(one, 1), await one.shown()]).toEqual([['Before', 'Meanwhile'], await two.shown()])
  })
})

describe('clocks that are wrong', () => {
  test.each([
    [-30 * 24 * hour, 5 * hour],
    [5 * hour, -30 * 24 * hour],
  ])('the newest listening wins (clocks off by %i, %i ms)', async (...wrong) => {
    const [one, two] = await pair({ wrong, before: (each) => listen(each, 1, 300) })
    expect(await place(two, 1)).toBe(300)
    app.clock.advance(60_000)
    await listen(two, 1, 900)
    app.clock.advance(60_000)
    await listen(one, 1, 600)
    for (const each of [two, one, two]) await each.sync()
    expect([await place(one, 1), await place(two, 1)]).toEqual([600, 600])
    const [row] = await readPositions(two.db)
    expect(row?.listenedAt).toBe(time())
  })

  test('listening before the clock comparison is ordered too', async () => {
    const [one] = await pair()
    const slow = phone(-10 * hour)
    await slow.signIn(ruth)
    await slow.turnOn()
    await listen(slow, 1, 700)
    app.clock.advance(60_000)
    await listen(one, 1, 200)
    await one.sync()
    await slow.sync()
    expect([await place(slow, 1), (await readPositions(slow.db))[0]?.earlier[0]?.seconds]).toEqual([200, 700])
  })

  test('a note removed on a slow device stays removed', async () => {
    const [one, two] = await pair({ wrong: [0, -2 * hour], before: (each) => write(each, 1, 'Words') })
    const [note] = await readNotes(uid(1), two.db)
    await removeNote(note!.id, two.now(), two.db)
    for (const each of [two, one]) await each.sync()
    expect(await words(one, 1)).toEqual([])
  })
})
