import 'fake-indexeddb/auto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { seriesTextOf } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { emptyText, textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call, type Transport } from '@fellowship/sync/call/call'
import { forgetCsrfToken } from '@fellowship/sync/call/csrf'
import { AppDatabase, type OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { UploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import { requestRate, type RequestRate } from '@fellowship/sync/client/engine/rate'
import { drain, unblockEntries } from '@fellowship/sync/client/outbox/outbox-drain'
import { appendDelete, appendEdit } from '@fellowship/sync/client/outbox/outbox'
import {
  appendNewSeries,
  appendSeriesDelete,
  appendSeriesEdit,
} from '@fellowship/sync/client/outbox/series-entries'
import { addFile } from '@fellowship/sync/client/uploads/upload-copy'
import { cancelUpload, unblockUploads } from '@fellowship/sync/client/uploads/upload-jobs'
import { runUpload } from '@fellowship/sync/client/uploads/upload-run'
import { longWav } from '../../testing/long-wav.ts'
import { savedBackup } from '../../testing/changed-backup.ts'
import { testApp } from '../../testing/test-app.ts'
import { columnsOf, insertTeaching } from '../teachings/teachings.ts'
import { restore } from './restore.ts'

/**
 * The most requests that a pending entry may make after a restore until it ends; a session's token does not count for an
 * entry.
 */
const mostRequests = 6

const folder = await mkdtemp(path.join(tmpdir(), 'restore-waiting-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

const lost = await testApp()
const admin = await lost.signedIn('admin')
const { sql } = lost.context
/** The number that makes titles and recordings differ. */
let count = 0

const add = () =>
  sql.begin((tx) =>
    insertTeaching(tx, {
      ...columnsOf({
        title: `Teaching ${(count += 1)}`,
        speaker: 'Ana',
        date: '2026-11-22',
        scriptureReference: '',
      }),
    }),
  ) as Promise<Teaching>
const addSeries = () => call(series.create, { body: { title: `Series ${(count += 1)}` } }, admin)
const retitle = (row: Teaching, title: string) =>
  call(teachings.update, { params: { id: row.id }, body: { ...textOf(row), title } }, admin)

/** The fault of the connection to the lost server for a request. */
type Cut = 'lost request' | 'half of the bytes' | 'lost answer'
type CutAt = Partial<Record<'begin' | 'bytes' | 'finalize' | 'change', Cut>>

function stepOf(method: string, { pathname }: URL): keyof CutAt | 'ask' {
  if (!pathname.startsWith('/api/uploads')) return 'change'
  if (pathname.endsWith('/finalize')) return 'finalize'
  return ({ POST: 'begin', PATCH: 'bytes' } as const)[method] ?? 'ask'
}

const overBadLine = (client: Transport, at: CutAt): Transport => ({
  base: client.base,
  fetch: async (input, init = {}) => {
    const address = new URL(input as string)
    const step = stepOf(init.method ?? 'GET', address)
    const cut = address.pathname === tokenPath || step === 'ask' ? undefined : at[step]
    if (cut === undefined) return client.fetch(input, init)
    if (cut === 'lost request') throw new TypeError('Failed to fetch')
    const body = init.body as Uint8Array<ArrayBuffer>
    const arrives = cut === 'half of the bytes' ? { ...init, body: body.slice(0, body.length / 2) } : init
    await (await client.fetch(input, arrives)).arrayBuffer()
    throw new TypeError('Failed to fetch')
  },
})
const tokenPath = '/api/csrf-token'

/** A pending entry on a device of its own. */
interface Waiting {
  /** Sends all pending entries. */
  send: (transport: Transport, signIn?: boolean) => Promise<void>
  /** The state of each entry that is still in the outbox. */
  states: () => Promise<string[]>
  /** The title of the row if the entry was accepted once; undefined if the entry deletes or replaces a row. */
  title?: string | undefined
}

/** A signed-in person, a clock that a test moves, and the number of requests of each entry. */
interface Sender {
  userId: number
  now: () => number
  rate: RequestRate
}

type Prepare = (sender: Sender) => Promise<Waiting>

const upload =
  (given: { replace?: () => Promise<Teaching>; cancelled?: boolean } = {}): Prepare =>
  async ({ userId, now, rate }) => {
    const db = new UploadDatabase(`waiting-${(count += 1)}`)
    const file = new File([new Uint8Array(Buffer.concat([...longWav(30_000, count)]))], 'a.wav')
    const row = await given.replace?.()
    const added = {
      fields: { ...emptyText, title: `Upload ${count}`, speaker: 'Ana', date: '2026-11-22' },
      ownerUserId: userId,
      now: now(),
      ...(row && { replace: { teachingId: row.id, baseRev: row.rev, uid: row.uid } }),
    }
    const copying = {
      hold: <T>(_: string, work: () => Promise<T>) => work(),
      yieldToMain: async () => undefined,
    }
    const id = (await addFile(db, file, added, copying))!
    const options = { now, rate, random: () => 1, onEvent: () => undefined, userId: () => userId }
    let isCancelled = false
    return {
      async send(transport, signIn) {
        if (signIn) await unblockUploads(db, userId, now())
        await runUpload(db, id, transport, options, new AbortController().signal)
        if (given.cancelled && !isCancelled) await cancelUpload(db, id)
        isCancelled = true
      },
      states: async () => (await db.jobs.toArray()).map(stateOfJob),
      title: given.cancelled || row ? undefined : added.fields.title,
    }
  }

const stateOfJob = ({ state, lastError }: UploadJob) =>
  state === 'rejected' ? `rejected, ${lastError?.code}` : state
const stateOfEntry = ({ state, lastError }: OutboxEntry) =>
  state === 'rejected' ? `rejected, ${lastError?.code}` : state

/** @param append resolves to the expected title in the end, or to undefined for a deletion */
const change =
  (
    append: (db: AppDatabase, author: { userId: number; now: number }) => Promise<string | undefined>,
  ): Prepare =>
  async ({ userId, now, rate }) => {
    const db = new AppDatabase(`waiting-${(count += 1)}`)
    const title = await append(db, { userId, now: now() })
    const options = { now, rate, random: () => 1, userId: () => userId }
    return {
      async send(transport, signIn) {
        if (signIn) await unblockEntries(db, userId)
        await drain(db, transport, options)
      },
      states: async () => (await db.outbox.toArray()).map(stateOfEntry),
      title,
    }
  }

/** Edits a teaching that the person has seen as `row`. */
const editOf = (row: () => Promise<Teaching>, ...titles: string[]) =>
  change(async (db, author) => {
    let seen = await row()
    for (const title of titles) {
      await appendEdit(db, seen, { ...emptyText, ...textOf(seen), title }, author)
      seen = { ...seen, title }
    }
    return seen.title
  })
const deletionOf = (row: () => Promise<Teaching>) =>
  change(async (db, author) => void (await appendDelete(db, await row(), author)))
const newSeries = () =>
  change(async (db, author) => {
    const title = `Series ${(count += 1)}`
    await appendNewSeries(db, { title, description: '', teachings: [] }, author)
    return title
  })
const seriesEditOf = (row: () => Promise<Series>) =>
  change(async (db, author) => {
    const seen = await row()
    const title = `Series ${(count += 1)}`
    await appendSeriesEdit(db, seen, { ...seriesTextOf(seen), title }, author)
    return title
  })
const seriesDeletionOf = (row: () => Promise<Series>) =>
  change(async (db, author) => void (await appendSeriesDelete(db, await row(), author)))

interface Case {
  name: string
  /** Made and tried on the lost server: before its backup, or after it. */
  when: 'before' | 'after'
  prepare: Prepare
  /** The progress of that attempt; if it is missing, the device was offline. */
  cut?: CutAt
  /** A later change on that server. */
  meanwhile?: () => Promise<unknown>
  ends: readonly string[]
}

const lostAnswer: CutAt = { change: 'lost answer', finalize: 'lost answer' }
const kept = await Promise.all(Array.from({ length: 12 }, add))
const keptSeries = [await addSeries(), await addSeries()] as const
/** Another person's change after the backup, which the device has seen. */
const changed = async (row: Teaching) => retitle(row, `Since the backup ${(count += 1)}`)

/** A restored server cannot know the seen revision: the person confirms a replacement or deletion. */
const aPersonsTurn = { ofRecording: ['rejected, revision_conflict'], ofDeletion: ['conflict'] }

const cases: Case[] = [
  { name: 'an upload that nothing was sent of', when: 'after', prepare: upload(), ends: ['done'] },
  {
    name: 'an upload that is begun, without a byte',
    when: 'after',
    prepare: upload(),
    cut: { bytes: 'lost request' },
    ends: ['done'],
  },
  {
    name: 'an upload that is half sent',
    when: 'before',
    prepare: upload(),
    cut: { bytes: 'half of the bytes' },
    ends: ['done'],
  },
  {
    name: 'an upload that has arrived',
    when: 'before',
    prepare: upload(),
    cut: { finalize: 'lost request' },
    ends: ['done'],
  },
  {
    name: 'an upload that is in the library, which the device was not told',
    when: 'before',
    prepare: upload(),
    cut: lostAnswer,
    ends: ['done'],
  },
  {
    name: 'an upload that was in the library after the backup, which the device was not told',
    when: 'after',
    prepare: upload(),
    cut: lostAnswer,
    ends: ['done'],
  },
  {
    name: 'an upload whose teaching was deleted before the backup',
    when: 'before',
    prepare: upload(),
    cut: lostAnswer,
    meanwhile: async () => {
      const newest = (await call(teachings.list, {}, admin)).toSorted((a, b) => b.id - a.id)[0]!
      await call(teachings.remove, { params: { id: newest.id } }, admin)
    },
    ends: ['duplicate'],
  },
  {
    name: 'an upload that is cancelled',
    when: 'before',
    prepare: upload({ cancelled: true }),
    cut: { bytes: 'half of the bytes' },
    ends: [],
  },
  {
    name: 'a recording for a teaching of the backup',
    when: 'after',
    prepare: upload({ replace: async () => kept[0]! }),
    ends: aPersonsTurn.ofRecording,
  },
  {
    name: 'a recording for a teaching that was changed after the backup',
    when: 'after',
    prepare: upload({ replace: () => changed(kept[1]!) }),
    ends: aPersonsTurn.ofRecording,
  },
  {
    name: 'a recording for a teaching from after the backup',
    when: 'after',
    prepare: upload({ replace: add }),
    ends: ['rejected, not_found'],
  },
  {
    name: 'a recording that replaced one before the backup, which the device was not told',
    when: 'before',
    prepare: upload({ replace: async () => kept[2]! }),
    cut: lostAnswer,
    ends: aPersonsTurn.ofRecording,
  },
  {
    name: 'a recording that replaced one after the backup, which the device was not told',
    when: 'after',
    prepare: upload({ replace: async () => kept[3]! }),
    cut: lostAnswer,
    ends: aPersonsTurn.ofRecording,
  },
  { name: 'an edit', when: 'after', prepare: editOf(async () => kept[4]!, 'A'), ends: [] },
  {
    name: 'an edit that was taken before the backup, which the device was not told',
    when: 'before',
    prepare: editOf(async () => kept[5]!, 'B'),
    cut: lostAnswer,
    ends: [],
  },
  {
    name: 'an edit that was taken after the backup, which the device was not told',
    when: 'after',
    prepare: editOf(async () => kept[6]!, 'C'),
    cut: lostAnswer,
    ends: [],
  },
  {
    name: 'three edits of one teaching, of which the first was taken after the backup',
    when: 'after',
    prepare: editOf(async () => kept[7]!, 'D', 'E', 'F'),
    cut: lostAnswer,
    ends: [],
  },
  {
    name: 'an edit of words from after the backup',
    when: 'after',
    prepare: editOf(() => changed(kept[8]!), 'G'),
    ends: ['conflict'],
  },
  {
    name: 'an edit of a teaching from after the backup',
    when: 'after',
    prepare: editOf(add, 'H'),
    ends: ['rejected, not_found'],
  },
  {
    name: 'a deletion',
    when: 'after',
    prepare: deletionOf(async () => kept[9]!),
    ends: aPersonsTurn.ofDeletion,
  },
  {
    name: 'a deletion that was taken after the backup, which the device was not told',
    when: 'after',
    prepare: deletionOf(async () => kept[10]!),
    cut: lostAnswer,
    ends: aPersonsTurn.ofDeletion,
  },
  {
    name: 'a deletion of a teaching from after the backup',
    when: 'after',
    prepare: deletionOf(add),
    ends: [],
  },
  { name: 'a new series', when: 'after', prepare: newSeries(), ends: [] },
  {
    name: 'a series that was begun before the backup, which the device was not told',
    when: 'before',
    prepare: newSeries(),
    cut: lostAnswer,
    ends: [],
  },
  {
    name: 'a series that was begun after the backup, which the device was not told',
    when: 'after',
    prepare: newSeries(),
    cut: lostAnswer,
    ends: [],
  },
  { name: 'an edit of a series', when: 'after', prepare: seriesEditOf(async () => keptSeries[0]), ends: [] },
  {
    name: 'an edit of a series from after the backup',
    when: 'after',
    prepare: seriesEditOf(addSeries),
    ends: ['rejected, not_found'],
  },
  {
    name: 'a deletion of a series',
    when: 'after',
    prepare: seriesDeletionOf(async () => keptSeries[1]),
    ends: aPersonsTurn.ofDeletion,
  },
  {
    name: 'a deletion of a series from after the backup',
    when: 'after',
    prepare: seriesDeletionOf(addSeries),
    ends: [],
  },
]

/** One person for each case, as a person may have three unfinished uploads. */
const people = new Map<Case, Awaited<ReturnType<typeof lost.signedIn>>>()
for (const each of cases) people.set(each, await lost.signedIn())

/** The pending entries on the server that will be lost. */
async function prepared(given: Case) {
  const { prepare, cut, meanwhile } = given
  const person = people.get(given)!
  const state = { now: 1_000_000, requests: new Map<string, number>() }
  const limits = requestRate(() => state.now)
  const rate: RequestRate = {
    ...limits,
    transportOf(key, transport) {
      const counted: typeof fetch = async (input, init) => {
        if (!(input as string).endsWith(tokenPath))
          state.requests.set(key, (state.requests.get(key) ?? 0) + 1)
        return transport.fetch(input, init)
      }
      return limits.transportOf(key, { ...transport, fetch: counted, session: transport })
    },
  }
  const userId = (await call(auth.currentUser, {}, person)).user!.id
  const waiting = await prepare({ userId, now: () => state.now, rate })
  if (cut) await waiting.send(overBadLine(person, cut))
  await meanwhile?.()
  return { person, state, waiting }
}

const waitingOf = new Map<Case, Awaited<ReturnType<typeof prepared>>>()
const prepareAll = async (when: Case['when']) => {
  for (const each of cases.filter((one) => one.when === when)) waitingOf.set(each, await prepared(each))
}
await prepareAll('before')
const file = await savedBackup(admin, path.join(folder, 'backup.zip'))
await prepareAll('after')

/** A new instance with an empty data folder and database. */
const next = await testApp()
await restore(next.context, file)

test.each(cases)('$name ends after a restore', async (given) => {
  const { person, state, waiting } = waitingOf.get(given)!
  state.requests.clear()
  const again = next.client()
  // Any backoff from before the restore is over.
  state.now += 10 * 60_000
  // The restore has ended the session. The device learns that when it sends.
  await waiting.send(again)
  await call(auth.login, { body: person }, again)
  forgetCsrfToken(again)
  for (let round = 0; round < 10; round += 1) {
    state.now += 10 * 60_000
    await waiting.send(again, round === 0)
  }
  expect(await waiting.states()).toEqual(given.ends)
  expect(Math.max(...state.requests.values())).toBeLessThanOrEqual(mostRequests)
  const wasTaken = given.ends.every((end) => end === 'done')
  const rows = [...(await call(teachings.list, {}, again)), ...(await call(series.list, {}, again))]
  if (wasTaken && waiting.title !== undefined)
    expect(rows.filter(({ title }) => title === waiting.title)).toHaveLength(1)
})
