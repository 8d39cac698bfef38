import 'fake-indexeddb/auto'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { describe, expect, onTestFinished, test } from 'vitest'
import { encodeCursor } from '../../protocol/cursor.ts'
import { AppDatabase, type OutboxEntry } from '../database/app-database.ts'
import { readSyncState, writeSyncState } from '../replica/sync-state.ts'
import {
  acknowledge,
  appendDelete,
  appendEdit,
  applyOutbox,
  decide,
  discard,
  discardAll,
  handleConflict,
  readShownOutbox,
  tryAgain,
} from './outbox.ts'

const author = { userId: 7, now: 0 }
const epoch = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e09'
const row = aTeaching({ rev: 5 })
const { uid } = row

/** A device with the teaching at revision 5 that has pulled up to revision 5. */
async function device() {
  const db = new AppDatabase(`outbox-${Math.random()}`)
  onTestFinished(() => db.delete())
  await db.teachings.put(row)
  await writeSyncState(db, { cursor: encodeCursor({ epoch, rev: 5 }) })
  const edit = async (changes: Partial<Teaching>, shown: Teaching = row, who = author) =>
    (await appendEdit(db, shown, { ...textOf(shown), ...textOf({ ...shown, ...changes }) }, who))!
  const entries = () => db.outbox.toArray()
  const set = (entry: OutboxEntry, changes: Partial<OutboxEntry>) =>
    db.outbox.update(entry.seq, changes as object)
  const title = async () => (await db.teachings.get(uid))?.title
  return { db, edit, entries, set, title }
}

describe('nothing changes', () => {
  test('an edit without a change adds no entry', async () => {
    const { db, entries } = await device()
    expect(await appendEdit(db, row, textOf(row), author)).toBeUndefined()
    expect(await entries()).toEqual([])
  })

  test('a form that is saved late brings back no discarded words', async () => {
    const { db, edit } = await device()
    const first = await edit({ title: 'Taken back' })
    const [shown] = applyOutbox([row], [first])
    await discard(db, first.mutationId)
    const late = await edit({ speaker: 'Mine' }, shown)
    expect([late.base, late.patch]).toEqual([textOf(row), { speaker: 'Mine' }])
  })

  test('a form that is saved late keeps words that still wait', async () => {
    const { edit } = await device()
    const first = await edit({ title: 'Waiting' })
    const late = await edit({ speaker: 'Mine' }, applyOutbox([row], [first])[0])
    expect(late.base).toEqual({ ...textOf(row), title: 'Waiting' })
  })

  test('ignores a late acknowledgement', async () => {
    const { db, edit, entries, set } = await device()
    const sent = await edit({ title: 'Mine' })
    await edit({ title: 'Later' })
    await set(sent, { mutationId: 'decided since' })
    const before = await entries()
    await acknowledge(db, sent, { op: 'edit', row: aTeaching({ rev: 6, title: 'Mine' }) })
    expect(await entries()).toEqual(before)
  })

  test('ignores a late conflict', async () => {
    const { db, edit, entries, set } = await device()
    const sent = await edit({ title: 'Mine' })
    const current = aTeaching({ rev: 6, speaker: 'Theirs' })
    await set(sent, { state: 'conflict' })
    const before = await entries()
    await handleConflict(db, sent, current)
    await handleConflict(db, { ...sent, mutationId: 'another' }, current)
    expect(await entries()).toEqual(before)
  })

  test('ignores decisions about missing entries', async () => {
    const { db, edit, entries } = await device()
    const { mutationId } = await edit({ title: 'Mine' })
    const before = await entries()
    for (const id of ['gone', mutationId]) {
      await decide(db, id, 'delete')
      await tryAgain(db, id)
    }
    await discard(db, 'gone')
    expect(await entries()).toEqual(before)
  })
})

describe('the row of an acknowledged edit', () => {
  const cursorAt = (rev: number) => ({ cursor: encodeCursor({ epoch, rev }) })
  type Setting = { present?: number; state: { cursor?: string }; base?: number; acknowledged: number }

  test.each<[string, Setting]>([
    ['where a pull has brought a later one', { present: 9, state: cursorAt(9), acknowledged: 8 }],
    ['where a pull has brought this one', { present: 8, state: cursorAt(8), acknowledged: 8 }],
    ['where it was deleted since', { state: cursorAt(9), acknowledged: 8 }],
    ['where a pull of its revision did not bring it', { state: cursorAt(8), acknowledged: 8 }],
    ['before the first snapshot, which brings it', { state: {}, acknowledged: 8 }],
  ])('is not stored %s', async (_, given) => {
    expect(await stored(given)).not.toBe('Acknowledged')
  })

  test.each<[string, Setting]>([
    ['where it is newer than what is here', { present: 7, state: cursorAt(7), acknowledged: 8 }],
    ['where no pull has come so far', { state: cursorAt(7), acknowledged: 8 }],
    ['where a restored server counts anew', { present: 5, state: cursorAt(5), acknowledged: 3 }],
  ])('is stored %s', async (_, given) => {
    expect(await stored(given)).toBe('Acknowledged')
  })

  async function stored({ present, state, acknowledged }: Setting) {
    const { db, edit, entries, title } = await device()
    const entry = await edit({ title: 'Mine' })
    await db.teachings.clear()
    if (present !== undefined) await db.teachings.put(aTeaching({ rev: present }))
    await writeSyncState(db, state)
    await acknowledge(db, entry, { op: 'edit', row: aTeaching({ rev: acknowledged, title: 'Acknowledged' }) })
    expect(await entries()).toEqual([])
    expect((await readSyncState(db)).acknowledged).toBe(1)
    return title()
  }
})

describe('after an acknowledged deletion', () => {
  test('a row that was written since stays', async () => {
    const { db, title } = await device()
    const entry = await appendDelete(db, row, author)
    await db.teachings.put(aTeaching({ rev: 9, title: 'Written again' }))
    await acknowledge(db, entry, { op: 'delete', rev: 8 })
    expect(await title()).toBe('Written again')
  })

  test.each([
    ['as the person saw it', 5, 3],
    ['older than the deletion', 7, 8],
    ['of any revision, where the server does not know it any more', 9, undefined],
    ['that is gone already', undefined, 8],
  ])('a row is gone: %s', async (_, present, rev) => {
    const { db, entries } = await device()
    const entry = await appendDelete(db, row, author)
    await db.teachings.clear()
    if (present !== undefined) await db.teachings.put(aTeaching({ rev: present }))
    await acknowledge(db, entry, { op: 'delete', ...(rev !== undefined && { rev }) })
    expect([await db.teachings.count(), await entries()]).toEqual([0, []])
    expect((await readSyncState(db)).acknowledged).toBe(1)
  })
})

describe('a conflict', () => {
  test('a conflict of other words is merged', async () => {
    const { db, edit, entries } = await device()
    const sent = await edit({ title: 'Mine' })
    const current = aTeaching({ id: 4, rev: 8, speaker: 'Theirs' })
    await handleConflict(db, sent, current)
    const [entry] = await entries()
    expect(entry).toMatchObject({ state: 'queued', teachingId: 4, baseRev: 8, base: textOf(current) })
    expect(entry!.patch).toEqual({ title: 'Mine' })
    expect(entry!.mutationId).not.toBe(sent.mutationId)
  })

  test('a conflict with the same words is done', async () => {
    const { db, edit, entries } = await device()
    const sent = await edit({ title: 'Mine' })
    await edit({ speaker: 'Later' }, aTeaching({ rev: 5, title: 'Mine' }))
    await handleConflict(db, sent, aTeaching({ rev: 8, title: 'Mine' }))
    expect(await entries()).toMatchObject([{ baseRev: 8, patch: { speaker: 'Later' } }])
  })

  test('a person confirms a conflicting deletion', async () => {
    const { db, entries } = await device()
    const sent = await appendDelete(db, row, author)
    const current = aTeaching({ rev: 8, speaker: 'Theirs' })
    await handleConflict(db, sent, current)
    expect(await entries()).toMatchObject([{ state: 'conflict', current }])
    await decide(db, sent.mutationId, 'delete')
    const [entry] = await entries()
    expect(entry).toMatchObject({ op: 'delete', state: 'queued', baseRev: 8 })
    expect(entry!.current).toBeUndefined()
  })

  test('choosing their words removes the entry', async () => {
    const { db, edit, entries } = await device()
    const sent = await edit({ title: 'Mine' })
    await edit({ speaker: 'Later' }, aTeaching({ rev: 5, title: 'Mine' }))
    const current = aTeaching({ rev: 8, title: 'Theirs' })
    await handleConflict(db, sent, current)
    await decide(db, sent.mutationId, textOf(current))
    expect(await entries()).toMatchObject([{ baseRev: 8, patch: { speaker: 'Later' } }])
  })
})

test('tryAgain retries only rejected entries', async () => {
  const { db, edit, entries, set } = await device()
  const entry = await edit({ title: 'Mine' })
  const wait = { attempts: 3, nextAttemptAt: 9, notBefore: 9 }
  await set(entry, { state: 'conflict', ...wait })
  await tryAgain(db, entry.mutationId)
  expect(await entries()).toMatchObject([{ state: 'conflict', ...wait }])
  await set(entry, { state: 'rejected' })
  await tryAgain(db, entry.mutationId)
  expect(await entries()).toMatchObject([{ state: 'queued', attempts: 0, nextAttemptAt: 0, notBefore: 0 }])
})

test('shows the user’s own entries, oldest first', async () => {
  const { db, edit, set } = await device()
  const [first, second] = [await edit({ title: 'First' }), await edit({ title: 'Second' })]
  const theirs = await edit({ title: 'Theirs' }, row, { userId: 8, now: 0 })
  await set(second, { state: 'blocked_auth' })
  const shown = async (user: number | undefined) => (await readShownOutbox(db, user)).map(({ seq }) => seq)
  expect(await shown(undefined)).toEqual([second.seq])
  expect(await shown(7)).toEqual([first.seq, second.seq])
  await discardAll(db, 7)
  expect((await db.outbox.toArray()).map(({ seq }) => seq)).toEqual([theirs.seq])
})

describe('the library with what is pending', () => {
  test('the screen hides deleted rows', async () => {
    const { db, edit, entries } = await device()
    await edit({ title: 'Mine' })
    expect(applyOutbox([], await entries())).toEqual([])
    await appendDelete(db, row, author)
    expect(applyOutbox([row], await entries())).toEqual([])
  })

  test('the screen shows every edit and its year', async () => {
    const { edit, entries } = await device()
    expect(applyOutbox([row], [])).toEqual([row])
    await edit({ title: 'Mine' })
    expect(applyOutbox([row], await entries())).toEqual([{ ...row, title: 'Mine' }])
    await edit({ date: '2019-05-05' })
    expect(applyOutbox([row], await entries())).toEqual([
      { ...row, title: 'Mine', date: '2019-05-05', year: 2019 },
    ])
  })
})

test('a discarded edit rebases the later ones', async () => {
  const { db, edit, entries } = await device()
  await edit({ title: 'First' })
  const second = await edit({ speaker: 'Second' }, aTeaching({ rev: 5, title: 'First' }))
  await edit({ title: 'Third' }, aTeaching({ rev: 5, title: 'First', speaker: 'Second' }))
  const [before] = await entries()
  await discard(db, second.mutationId)
  expect(await entries()).toMatchObject([
    before!,
    { base: { title: 'First', speaker: row.speaker }, patch: { title: 'Third' } },
  ])
})

describe('after an edit is discarded', () => {
  test('a gone teaching takes entries without changes along', async () => {
    const { db, edit, entries } = await device()
    const first = await edit({ title: 'First' })
    await edit({ title: row.title }, aTeaching({ rev: 5, title: 'First' }))
    await appendDelete(db, row, author)
    await db.teachings.clear()
    await discard(db, first.mutationId)
    expect(await entries()).toMatchObject([{ op: 'delete', baseRev: 5 }])
  })

  test('later entries stand on the present revision', async () => {
    const { db, edit, entries } = await device()
    const first = await edit({ title: 'First' })
    await edit({ title: 'Second' }, aTeaching({ rev: 5, title: 'First' }))
    await edit({ title: 'Third' }, aTeaching({ rev: 5, title: 'Second' }))
    await db.teachings.put(aTeaching({ rev: 8, speaker: 'Theirs' }))
    await discard(db, first.mutationId)
    expect(await entries()).toMatchObject([
      { state: 'queued', baseRev: 8, base: { title: row.title, speaker: 'Theirs' } },
      { state: 'queued', baseRev: 8, base: { title: 'Second', speaker: 'Theirs' } },
    ])
  })

  test('entries behind a conflict keep their revision', async () => {
    const { db, edit, entries } = await device()
    const first = await edit({ title: 'First' })
    await edit({ title: 'Second' }, aTeaching({ rev: 5, title: 'First' }))
    await edit({ description: 'Third' }, aTeaching({ rev: 5, title: 'Second' }))
    await db.teachings.put(aTeaching({ rev: 8, title: 'Theirs' }))
    await discard(db, first.mutationId)
    expect(await entries()).toMatchObject([{ state: 'conflict' }, { state: 'queued', baseRev: 5 }])
  })

  test('ignores the edits of another person', async () => {
    const { db, edit, entries } = await device()
    await edit({ speaker: 'Theirs' }, row, { userId: 8, now: 0 })
    const first = await edit({ title: 'First' })
    await edit({ title: 'Second' }, aTeaching({ rev: 5, title: 'First' }))
    await discard(db, first.mutationId)
    expect((await entries())[1]).toMatchObject({ base: { title: row.title, speaker: row.speaker } })
  })
})
