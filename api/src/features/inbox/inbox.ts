import { Problem, type ProblemCode } from '@fellowship/schema/problem'
import { nameOfTeaching } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { inboxDays, type InboxItem } from '@fellowship/schema/inbox/inbox.schema'
import { inboxTexts as texts } from '@fellowship/schema/inbox/inbox.texts'
import { parseFilename } from '@fellowship/schema/uploads/parse-filename'
import { maxFileNameLength } from '@fellowship/schema/uploads/uploads.limits'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { keyLock } from '../../machine/key-lock.ts'
import {
  arrivedBefore,
  deleteInbox,
  earlierOfName,
  findInbox,
  inboxRows,
  insertArrival,
  letWait,
  lockInbox,
  type InboxRow,
} from './inbox.sql.ts'
import { checkFields, mergeFields, receiveFile, type DuplicateOf, type Once } from '../uploads/uploads.ts'

/** What became of a file that arrived. */
export type Arrival =
  | { outcome: 'published'; teaching: Teaching }
  /** It waits for a person, or for the database to come back. */
  | { outcome: 'inbox'; id: string }

interface ArrivedFile {
  /** As its sender named it, without folders. */
  filename: string
  /** Where it lies; it is taken from there. */
  file: string
  bytes: number
  /** Why it cannot be published by itself, where that is known already. */
  doubt?: { code: string; reason: string; fix: string } | undefined
}

/**
 * Takes in a file that arrived whole: it is put aside under a row of its own, so that nothing can lose it, then
 * published. What cannot be published stays there with the reason and the way to mend it.
 *
 * @throws what kept it from being put aside; the file is where it was then
 */
export async function receiveArrival(context: Context, arrived: ArrivedFile): Promise<Arrival> {
  const { sql, clock, storage } = context
  const id = uuidv7(clock.now().getTime())
  const filename = arrived.filename.slice(-maxFileNameLength)
  const { file, bytes, doubt } = arrived
  // Whoever looks after what was left must not believe that this one was.
  await withItemLock(id, async () => {
    await insertArrival(sql, { id, filename, takenFrom: file, bytes, arrivedAt: clock.now() })
    try {
      await storage.inbox.moveIn(file, id, bytes)
    } catch (error) {
      await deleteInbox(sql, id)
      throw error
    }
  })
  if (doubt) {
    await letWait(sql, id, doubt)
    return { outcome: 'inbox', id }
  }
  return publishByItself(context, id)
}

/** Publishes what a lost database or a crash kept from it. */
export async function publishLeftArrivals(context: Context): Promise<void> {
  const { sql, log, storage } = context
  for (const { id } of await inboxRows(sql, 'arriving')) {
    const isHere = await withItemLock(id, async () => {
      const row = await findInbox(sql, id)
      if (row?.state !== 'arriving') return false
      // A file that its sender went on with since is not the one that was noted: it stays the sender's.
      if (await storage.inbox.moveIn(row.takenFrom ?? '', id, row.bytes).then(yes, no)) return true
      log.warn({ id }, 'a recording of the Inbox has no file any more')
      await deleteInbox(sql, id)
      return false
    })
    if (isHere) await publishByItself(context, id)
  }
}

/** All that wait for a person, newest first. */
export async function listInbox({ sql }: Context): Promise<InboxItem[]> {
  return (await inboxRows(sql, 'waiting')).map((row) => ({
    id: row.id,
    filename: row.filename,
    bytes: row.bytes,
    arrivedAt: row.arrivedAt.toISOString(),
    keptUntil: new Date(row.arrivedAt.getTime() + inboxDays * dayMs).toISOString(),
    reason: row.reason ?? '',
    fix: row.fix ?? '',
    parsedData: parseFilename(row.filename),
  }))
}

/**
 * Publishes one of them as a person corrected it.
 *
 * @throws Problem as `receiveFile`, `invalid_input`, `not_found`
 */
export async function publishInbox(
  context: Context,
  id: string,
  fields: EnteredFields,
  actor: Actor,
): Promise<Teaching> {
  return withItemLock(id, async () => {
    const row = await findInbox(context.sql, id)
    if (!row) throw new Problem('not_found', texts.gone)
    if (row.state === 'arriving') throw new Problem('upload_busy', texts.busy)
    const create = checkFields(mergeFields(row.filename, { corrected: fields }))
    return publish(context, row, create, actor)
  })
}

/**
 * Deletes one of them with its file.
 *
 * @throws Problem `not_found`
 */
export async function removeInbox(context: Context, id: string, actor: Actor): Promise<void> {
  const { sql, storage, clock } = context
  await withItemLock(id, async () => {
    const row = await findInbox(sql, id)
    if (!row) throw new Problem('not_found', texts.gone)
    await sql.begin(async (tx) => {
      await deleteInbox(tx, id)
      await writeAudit(tx, { actor, action: 'inbox.deleted', subject: row.filename }, clock.now())
    })
    await storage.inbox.remove(id)
  })
}

/** Gives a file back to `file`, so that its sender can go on with it. False where it is not in the Inbox any more. */
export async function reopenArrival({ sql, storage }: Context, id: string, file: string): Promise<boolean> {
  return withItemLock(id, async () => {
    if ((await findInbox(sql, id))?.state !== 'waiting') return false
    await storage.inbox.moveBack(id, file)
    await deleteInbox(sql, id)
    return true
  })
}

/** Publishes what was left, removes what waited too long, and files that no row knows. */
export async function sweepInbox(context: Context): Promise<void> {
  const { sql, storage, clock, log } = context
  await publishLeftArrivals(context)
  for (const { id, filename } of await arrivedBefore(
    sql,
    new Date(clock.now().getTime() - inboxDays * dayMs),
  )) {
    await withItemLock(id, async () => {
      await deleteInbox(sql, id)
      await storage.inbox.remove(id)
    })
    log.info({ filename }, 'a recording waited too long in the Inbox and was removed')
  }
  for (const id of await storage.inbox.list()) {
    await withItemLock(id, async () => {
      if (!(await findInbox(sql, id))) await storage.inbox.remove(id)
    })
  }
}

const withItemLock = keyLock()
/** Who sends by SFTP has no account here. */
const soundDesk = { id: null, name: 'the sound desk' }
const dayMs = 24 * 60 * 60_000
const yes = () => true
const no = () => false

async function publishByItself(context: Context, id: string): Promise<Arrival> {
  return withItemLock(id, async () => {
    const row = await findInbox(context.sql, id)
    if (row?.state !== 'arriving') return { outcome: 'inbox', id }
    try {
      const parsed = parseFilename(row.filename)
      if (!parsed.isValid) throw new Problem('invalid_input', parsed.errors.join(' '))
      const create = checkFields(mergeFields(row.filename, {}))
      return { outcome: 'published', teaching: await publish(context, row, create, null) }
    } catch (error) {
      const wait = asReason(error)
      // What time alone can mend is tried again by the sweep.
      if (!wait) context.log.error({ err: error, id }, 'a recording that arrived could not be published yet')
      else {
        await letWait(context.sql, id, wait)
        // Clients that try again and again leave one copy, not many.
        if (wait.code === 'duplicate') await removeEarlier(context, row, ({ bytes }) => bytes === row.bytes)
      }
      return { outcome: 'inbox', id }
    }
  })
}

async function publish(
  context: Context,
  row: InboxRow,
  create: ReturnType<typeof checkFields>,
  actor: Actor | null,
): Promise<Teaching> {
  const { storage, hashes, clock, log } = context
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
  })
  await storage.inbox.remove(id).catch((error: unknown) => {
    // It is in the library; the next cleaning takes what is left.
    log.warn({ err: error, id }, 'the file of a published recording could not be removed')
  })
  // What was cut short before has now arrived whole.
  await removeEarlier(context, { ...row, code: 'cut_off' }, () => true)
  return teaching
}

/** Removes those of the same name that waited for the same reason. */
async function removeEarlier(
  { sql, storage }: Context,
  { id, filename, code, arrivedAt }: InboxRow,
  which: (earlier: InboxRow) => boolean,
): Promise<void> {
  const earlier = await earlierOfName(sql, filename, code ?? 'duplicate', arrivedAt)
  for (const other of earlier.filter((found) => found.id !== id && which(found))) {
    await deleteInbox(sql, other.id)
    await storage.inbox.remove(other.id)
  }
}

/** The reason for a person; undefined where only time can tell. */
function asReason(error: unknown): { code: string; reason: string; fix: string } | undefined {
  if (!(error instanceof Problem)) return undefined
  const fix = fixes[error.code]
  if (fix === undefined) return undefined
  const double = error.extra['duplicateOf'] as DuplicateOf | undefined
  return { code: error.code, reason: `${error.message}${double ? `: ${nameOfTeaching(double)}` : ''}`, fix }
}

const fixes: Partial<Record<ProblemCode, string>> = {
  invalid_input: texts.fix.name,
  duplicate: texts.fix.duplicate,
  unsupported_audio: texts.fix.audio,
  too_large: texts.fix.audio,
}
