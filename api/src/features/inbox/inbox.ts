import { churchDate } from '@fellowship/schema/dates'
import { Problem, type ProblemCode } from '@fellowship/schema/problem'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import type { Teaching, TeachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { inboxDays, type InboxItem } from '@fellowship/schema/inbox/inbox.contract'
import { inboxTexts as texts } from '@fellowship/schema/inbox/inbox.texts'
import { parseFilename } from '@fellowship/schema/uploads/parse-filename'
import { audioExtensions, audioMime, maxFileNameLength } from '@fellowship/schema/uploads/uploads.limits'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { probeAudio } from '../../machine/audio/audio-reader.ts'
import type { OpenBlob } from '../../machine/storage/blob-store.ts'
import {
  deleteInbox,
  findInbox,
  inboxRows,
  insertArrival,
  lockInbox,
  olderOfName,
  setWaiting,
  waitingLonger,
  type InboxRow,
} from './inbox.sql.ts'
import {
  findDuplicate,
  findTeachingByUid,
  teachingWithAudio,
  type DuplicateOf,
  type Once,
} from '../teachings/teachings.ts'
import { noteRecording } from '../transcripts/transcripts.ts'
import {
  checkFields,
  MendingDuplicate,
  mergeFields,
  receiveFile,
  type Destination,
} from '../uploads/uploads.ts'

/** The outcome for an arrived file. */
export type Arrival =
  /** Also if it replaced the damaged file of the same recording. */
  | { outcome: 'published'; teaching: Teaching }
  /** The library has this very recording already: nothing was added, and nothing waits. */
  | { outcome: 'known'; teaching: Teaching }
  /** It waits for an administrator, or for the next sweep if the failure is temporary. */
  | { outcome: 'inbox'; id: string }

interface ArrivedFile {
  /** The name from its sender, without folders. */
  filename: string
  /** Its path on disk, from which it is moved. */
  file: string
  bytes: number
  /** The reason against publishing it automatically, if one is known already. */
  doubt?: Doubt | undefined
}

export interface Doubt {
  readonly code: string
  readonly reason: string
  readonly fix: string
}

/**
 * Moves a file that arrived whole into the Inbox, then publishes it. If it cannot be published, it stays in the Inbox with
 * the reason and the fix.
 *
 * @throws the error if it could not be moved; the file then stays in place
 */
export async function receiveArrival(context: Context, arrived: ArrivedFile): Promise<Arrival> {
  const { sql, clock, storage, node } = context
  const id = uuidv7(clock.now().getTime())
  const filename = arrived.filename.slice(-maxFileNameLength)
  const { file, bytes, doubt } = arrived
  // Holds the lock, so that `publishLeftArrivals` does not take this row for one left by a crash.
  await withItemLock(context, id, async () => {
    await insertArrival(sql, { id, filename, takenFrom: file, bytes, nodeId: node.id })
    try {
      await storage.inbox.moveIn(file, id, bytes)
    } catch (error) {
      await deleteInbox(sql, id)
      throw error
    }
  })
  return doubt ? holdBack(context, id, doubt) : publishAutomatically(context, id)
}

/** Leaves an arrival in the Inbox, unless the library or another item has the very same bytes. */
function holdBack(context: Context, id: string, doubt: NonNullable<ArrivedFile['doubt']>): Promise<Arrival> {
  return withItemLock(context, id, async () => {
    const row = await findInbox(context.sql, id)
    if (row?.state !== 'arriving') return { outcome: 'inbox', id }
    const known = await teachingWithAudio(context.sql, await hashOf(context, id))
    if (known) return dropKnown(context, row, known)
    await setWaiting(context.sql, id, doubt)
    await removeSameRecording(context, row)
    return { outcome: 'inbox', id }
  })
}

/** Publishes arrivals in this data folder that a crash or a lost database left unpublished. */
export async function publishLeftArrivals(context: Context): Promise<void> {
  const { sql, log, node, storage } = context
  for (const arrival of await inboxRows(sql, 'arriving')) {
    if (!node.owns(arrival)) continue
    const { id } = arrival
    const isComplete = await withItemLock(context, id, async () => {
      const row = await findInbox(sql, id)
      if (row?.state !== 'arriving') return false
      // If its sender has resumed the file, its size has changed and it is not moved.
      const isMoved = await storage.inbox.moveIn(row.takenFrom ?? '', id, row.bytes).then(
        () => true,
        () => false,
      )
      if (isMoved) return true
      log.warn({ id }, 'the file of an Inbox item is missing')
      await deleteInbox(sql, id)
      return false
    })
    if (isComplete) await publishAutomatically(context, id)
  }
}

/** Recordings that arrived and are about to be published, newest first. */
export const arrivingRecordings = ({ sql }: Context): Promise<InboxRow[]> => inboxRows(sql, 'arriving')

/** The items that wait for an administrator, newest first. */
export async function listInbox(context: Context): Promise<InboxItem[]> {
  const { sql } = context
  const rows = await inboxRows(sql, 'waiting')
  return Promise.all(
    rows.map(async (row) => {
      const parsedData = parseFilename(row.filename, churchDate(context.clock.now()))
      const duplicateOf = row.code === 'duplicate' ? await findDuplicate(sql, parsedData) : undefined
      return {
        id: row.id,
        filename: row.filename,
        bytes: row.bytes,
        arrivedAt: row.arrivedAt.toISOString(),
        keptUntil: new Date(row.arrivedAt.getTime() + inboxDays * dayMs).toISOString(),
        reason: row.reason ?? '',
        fix: row.fix ?? '',
        isCutOff: row.code === 'cut_off',
        soundsWrong: row.code === 'sounds_wrong',
        isUnfit: row.code === 'unsupported_audio' || row.code === 'too_large',
        parsedData,
        duplicateOf: duplicateOf?.teaching ?? null,
      }
    }),
  )
}

/**
 * Opens the file of a waiting item as it arrived; the caller closes it.
 *
 * @returns the file, with the type that its name says
 * @throws Problem `not_found`, `upload_busy`
 */
export async function openRecording({ sql, node, storage }: Context, id: string) {
  const row = await findInbox(sql, id)
  if (row?.state !== 'waiting') throw new Problem('not_found', texts.gone)
  if (!node.owns(row)) throw new Problem('upload_busy', elsewhere, { retryAfter: 5 })
  const handle = await storage.inbox.open(id)
  const close = () => handle.close()
  const file: OpenBlob = {
    name: id,
    bytes: row.bytes,
    modifiedAt: row.arrivedAt,
    placedAt: row.arrivedAt,
    version: id,
    handle,
    read: async (start, end) => handle.createReadStream({ start, end, autoClose: false }),
    close,
    [Symbol.asyncDispose]: close,
  }
  const extension = audioExtensions.find((each) => row.filename.toLowerCase().endsWith(`.${each}`))
  return { file, type: audioMime[extension ?? 'mp3'] }
}

/** A person's answers about a recording that is asked about. */
type Accepted = Pick<Destination, 'acceptCutOff' | 'acceptSound'>

/**
 * Publishes an item with the fields that an administrator corrected.
 *
 * @throws Problem as `receiveFile`, `invalid_input`, `not_found`
 */
export async function publishInbox(
  context: Context,
  id: string,
  { acceptCutOff, acceptSound = false, ...fields }: EnteredFields & Accepted,
  actor: Actor,
): Promise<Teaching> {
  return withItemLock(context, id, async () => {
    const row = await findInbox(context.sql, id)
    if (!row) throw new Problem('not_found', texts.gone)
    if (row.state === 'arriving') throw new Problem('upload_busy', texts.busy)
    if (!context.node.owns(row)) throw new Problem('upload_busy', elsewhere, { retryAfter: 5 })
    const create = checkFields(mergeFields(context, row.filename, { corrected: fields }))
    return publish(context, row, create, { actor, acceptCutOff, acceptSound })
  })
}

/**
 * Deletes an item with its file.
 *
 * @throws Problem `not_found`
 */
export async function removeInbox(context: Context, id: string, actor: Actor): Promise<void> {
  const { sql, storage, clock } = context
  await withItemLock(context, id, async () => {
    const row = await findInbox(sql, id)
    if (!row) throw new Problem('not_found', texts.gone)
    await sql.begin(async (tx) => {
      await deleteInbox(tx, id)
      await writeAudit(tx, { actor, action: 'inbox.deleted', subject: row.filename }, clock.now())
    })
    await storage.inbox.remove(id)
  })
}

/**
 * Moves an item's recording back to `file`, so that its sender can resume it. False if the item is not waiting any more.
 */
export async function reopenArrival(context: Context, id: string, file: string): Promise<boolean> {
  const { sql, node, storage } = context
  return withItemLock(context, id, async () => {
    const row = await findInbox(sql, id)
    if (row?.state !== 'waiting' || !node.owns(row)) return false
    await storage.inbox.moveBack(id, file)
    await deleteInbox(sql, id)
    return true
  })
}

/** Publishes left arrivals, removes expired items, and removes files without a row. */
export async function sweepInbox(context: Context): Promise<void> {
  const { sql, storage } = context
  await publishLeftArrivals(context)
  await removeExpired(context)
  for (const id of await storage.inbox.list()) {
    await withItemLock(context, id, async () => {
      if (!(await findInbox(sql, id))) await storage.inbox.remove(id)
    })
  }
}

async function removeExpired(context: Context): Promise<void> {
  const { sql, storage, log } = context
  const { due, total } = await waitingLonger(sql, inboxDays)
  if (!(await maySweep(sql, { name: 'inbox', due: due.length, total }))) return
  for (const { id, filename } of due) {
    await withItemLock(context, id, async () => {
      await deleteInbox(sql, id)
      await storage.inbox.remove(id)
    })
    log.info({ filename }, 'an Inbox item expired and was removed')
  }
}

const withItemLock = <T>({ locks }: Pick<Context, 'locks'>, id: string, work: () => Promise<T>): Promise<T> =>
  locks.run(`inbox ${id}`, work)

/** SFTP uploads have no user account. */
const soundDesk = { id: null, name: 'the sound desk' }
const elsewhere =
  'The file of this recording is at another process of the server. Try again; if that does not help, start that process again.'

const dayMs = 24 * 60 * 60_000

async function publishAutomatically(context: Context, id: string): Promise<Arrival> {
  return withItemLock(context, id, async () => {
    const row = await findInbox(context.sql, id)
    if (row?.state !== 'arriving' || !context.node.owns(row)) return { outcome: 'inbox', id }
    try {
      const create = await fieldsOfArrival(context, row)
      return { outcome: 'published', teaching: await publish(context, row, create, { actor: null }) }
    } catch (error) {
      if (error instanceof MendingDuplicate) {
        await dropItem(context, row)
        return { outcome: 'published', teaching: error.teaching }
      }
      const known = await knownRecording(context, error)
      if (known) return dropKnown(context, row, known)
      const reason = asReason(error)
      // The failure is temporary: the next sweep retries.
      if (!reason) context.log.error({ err: error, id }, 'an arrived recording could not be published yet')
      else {
        await setWaiting(context.sql, id, reason)
        // If a client sends a file repeatedly, only one copy stays.
        await removeSameRecording(context, row)
      }
      return { outcome: 'inbox', id }
    }
  })
}

/**
 * The fields by which an arrival is published.
 *
 * @throws Problem `invalid_input` if its name leaves a doubt, `unsupported_audio` if browsers cannot play it
 */
async function fieldsOfArrival(context: Context, { id, filename }: InboxRow): Promise<TeachingFields> {
  const merged = mergeFields(context, filename, {})
  if (merged.isValid) return checkFields(merged)
  const existing = await teachingWithAudio(context.sql, await hashOf(context, id))
  // Whatever its name is: `publish` refuses a recording that the library has, or mends the file there.
  if (existing) return checkFields({ ...textOf(existing), isValid: true, errors: [] })
  // If the recording cannot be published at all, corrected fields would not help.
  const staged = await context.storage.stageInbox(id)
  try {
    await probeAudio(staged.path)
  } finally {
    await staged.discard()
  }
  throw new Problem('invalid_input', merged.errors.join(' '))
}

/** The teaching with the very same recording, if that is the reason of a refusal. */
async function knownRecording({ sql }: Context, error: unknown): Promise<Teaching | undefined> {
  if (!(error instanceof Problem) || error.extra['sameRecording'] !== true) return undefined
  return findTeachingByUid(sql, (error.extra['duplicateOf'] as DuplicateOf).uid)
}

/** The SHA-256 of an item's file. */
async function hashOf({ storage, hashes }: Context, id: string): Promise<string> {
  const staged = await storage.stageInbox(id)
  const hashing = hashes.follow(staged.path)
  try {
    return (await hashing.finish(staged.bytes)).sha256
  } finally {
    hashing.abandon()
    await staged.discard()
  }
}

async function publish(
  context: Context,
  row: InboxRow,
  create: ReturnType<typeof checkFields>,
  { actor, ...accepted }: { actor: Actor | null } & Accepted,
): Promise<Teaching> {
  const { storage, hashes, clock } = context
  const { id, filename } = row
  const once: Once = async (tx, write) => {
    if (!(await lockInbox(tx, id))) throw new Problem('not_found', texts.gone)
    const teaching = await write()
    await deleteInbox(tx, id)
    if (actor) {
      const entry = {
        actor,
        action: 'inbox.published',
        subject: filename,
        details: { teaching: teaching.id },
      }
      await writeAudit(tx, entry, clock.now())
    }
    return teaching
  }
  const staged = await storage.stageInbox(id)
  const recording = { staged, hashing: hashes.follow(staged.path) }
  const { teaching } = await receiveFile(context, recording, {
    create,
    uid: id,
    once,
    by: actor ?? soundDesk,
    acceptSound: false,
    ...accepted,
  })
  await takeWaitingText(context, row, teaching)
  await removeSameRecording(context, row)
  await removeFile(context, id)
  // Earlier, truncated copies of this recording are obsolete now.
  await removeOlder(context, row, 'cut_off')
  return teaching
}

/** The recording is published, whatever becomes of a text that waits for it. */
const takeWaitingText = (context: Context, { id, filename }: InboxRow, { uid }: Teaching): Promise<void> =>
  noteRecording(context, filename, uid).catch((error: unknown) =>
    context.log.warn({ err: error, id }, 'the text of a published recording could not be taken'),
  )

async function dropKnown(context: Context, row: InboxRow, teaching: Teaching): Promise<Arrival> {
  await dropItem(context, row)
  await takeWaitingText(context, row, teaching)
  const about = { filename: row.filename, teaching: nameOfTeaching(teaching) }
  context.log.info(about, 'a recording that arrived by SFTP is in the library already')
  return { outcome: 'known', teaching }
}

/** The library has the recording of an item. */
async function dropItem(context: Context, row: InboxRow): Promise<void> {
  await deleteInbox(context.sql, row.id)
  await removeSameRecording(context, row)
  await removeFile(context, row.id)
}

/** Removes the other waiting items that have the very same bytes as this one, which is on disk. */
async function removeSameRecording(context: Context, { id, bytes }: InboxRow): Promise<void> {
  const { sql, node, storage, log } = context
  const waiting = await inboxRows(sql, 'waiting')
  const alike = waiting.filter((other) => other.id !== id && other.bytes === bytes && node.owns(other))
  if (alike.length === 0) return
  const sha256 = await hashOf(context, id)
  for (const other of alike) {
    try {
      if ((await hashOf(context, other.id)) !== sha256) continue
      await deleteInbox(sql, other.id)
      await storage.inbox.remove(other.id)
    } catch (error) {
      log.warn({ err: error, id: other.id }, 'an Inbox item could not be compared')
    }
  }
}

/** The recording is in the library. If its file here cannot be removed, the next sweep removes it. */
const removeFile = ({ storage, log }: Context, id: string): Promise<void> =>
  storage.inbox
    .remove(id)
    .catch((error: unknown) =>
      log.warn({ err: error, id }, 'the file of a published recording could not be removed'),
    )

/** Removes older items of the same name and this reason. */
async function removeOlder(
  { sql, storage }: Context,
  { id, filename, arrivedAt }: InboxRow,
  code: string,
): Promise<void> {
  const older = await olderOfName(sql, filename, code, arrivedAt)
  for (const other of older.filter((found) => found.id !== id)) {
    await deleteInbox(sql, other.id)
    await storage.inbox.remove(other.id)
  }
}

/** The reason and fix shown to an administrator; undefined if a retry may succeed. */
function asReason(error: unknown): { code: string; reason: string; fix: string } | undefined {
  if (!(error instanceof Problem)) return undefined
  const fix = fixes[error.code]
  if (fix === undefined) return undefined
  const { reasons } = error.extra
  const reason = Array.isArray(reasons) ? reasons.join(' ') : error.message
  return { code: error.code, reason, fix }
}

const fixes: Partial<Record<ProblemCode, string>> = {
  invalid_input: texts.fix.name,
  duplicate: texts.fix.duplicate,
  unsupported_audio: texts.fix.audio,
  too_large: texts.fix.audio,
  cut_off: texts.fix.cutOff,
  sounds_wrong: texts.fix.sound,
}
