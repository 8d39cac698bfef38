import { createHash } from 'node:crypto'
import {
  type Handout,
  handoutFile,
  handoutName,
  handoutOfFile,
} from '@fellowship/schema/handouts/handout-file'
import { handoutLimits as limits } from '@fellowship/schema/handouts/handouts.limits'
import { handoutTexts as texts } from '@fellowship/schema/handouts/handouts.texts'
import { Problem } from '@fellowship/schema/problem'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { Context } from '../../context.ts'
import { type AuditActor, writeAudit } from '../../db/audit-log.ts'
import type { Transaction } from '../../db/connection.ts'
import { changeRows } from '../../db/synced-rows.ts'
import { settleBytes } from '../../machine/storage/storage.ts'
import { findTeaching, type MutationKey, once, targetOf } from '../teachings/teachings.ts'
import { isBackupRunning, isHandoutUsed, writeHandouts } from './handouts.sql.ts'
import { judgeHandout } from './judge-handout.ts'

export { publicHandout, usedHandouts, type UsedHandout } from './handouts.sql.ts'
export { pdfFault } from './judge-handout.ts'

/** The teaching of a change: by its uid if the client sent one. */
interface Target {
  readonly id: number
  readonly uid?: string | undefined
}

interface ReceivedHandout {
  readonly path: string
  /** The file's name on the uploader's device. */
  readonly name: string
  /** Aborted when the uploader disconnects. */
  readonly gone: AbortSignal
}

/**
 * Stores a received file and adds it to a teaching. A file that the teaching already has changes nothing.
 *
 * @param keyOf the idempotency key of the request, given the hash of the file
 * @throws Problem `unsupported_media`, `invalid_input`, `too_large`, `not_found`, `idempotency_mismatch`
 */
export async function addHandout(
  context: Context,
  { id, uid }: Target,
  received: ReceivedHandout,
  { actor, keyOf }: { actor: AuditActor; keyOf: (hash: string) => MutationKey | undefined },
): Promise<Teaching> {
  const { handout, bytes } = await judgedHandout(received)
  return whileStored(context, { handout, bytes }, () =>
    changeRows(context, (tx) =>
      once(tx, keyOf(handout.hash), async () =>
        putHandout(context, tx, await targetOf(tx, id, { uid }, texts.gone), { handout, actor }),
      ),
    ),
  )
}

/**
 * Judges a received file.
 *
 * @returns the handout that it becomes, and the bytes to store
 * @throws Problem `unsupported_media`, `invalid_input`, `too_large`; JobStopped once `gone`
 */
export async function judgedHandout({
  path,
  name,
  gone,
}: ReceivedHandout): Promise<{ handout: Handout; bytes: Buffer }> {
  const { type, bytes } = await judgeHandout(path, gone)
  const hash = createHash('sha256').update(bytes).digest('hex')
  return { handout: { hash, name: handoutName(name, type), type, bytes: bytes.length }, bytes }
}

/** Stores the file of a handout and runs `work`, which writes the row. If the row has not been written, the file is removed. */
export function whileStored<T>(
  context: Context,
  { handout, bytes }: { handout: Handout; bytes: Buffer },
  work: () => Promise<T>,
): Promise<T> {
  const file = handoutFile(handout)
  return oneAtATime(context, handout.hash, async () => {
    const settlement = await settleBytes(context.storage, 'handouts', file, bytes)
    try {
      return await work()
    } finally {
      // Whether the commit succeeded is read from the database; a failure leaves the file to the sweep.
      await settlement
        .keep()
        .then(() => removeIfUnused(context, file))
        .catch((error: unknown) =>
          context.log.warn({ err: error, file }, 'an unused handout could not be removed yet'),
        )
    }
  })
}

/**
 * Adds a stored handout to the row of a teaching, which changes nothing if it has that handout.
 *
 * @throws Problem `invalid_input` if the teaching has as many as it may have
 */
export async function putHandout(
  context: Pick<Context, 'clock'>,
  tx: Transaction,
  current: Teaching,
  { handout, actor }: { handout: Handout; actor: AuditActor },
): Promise<Teaching> {
  const present = current.handouts ?? []
  if (present.some(({ hash }) => hash === handout.hash)) return current
  if (present.length >= limits.most) throw new Problem('invalid_input', texts.full)
  await writeHandouts(tx, current.id, [...present, handout])
  const details = { id: current.id, name: handout.name }
  const entry = { actor, action: 'handout.added', subject: current.title, details }
  await writeAudit(tx, entry, context.clock.now())
  return (await findTeaching(tx, current.id))!
}

/**
 * Removes a handout from a teaching. Its file is no longer public at once, and is removed by the sweep: a backup under way may
 * still read it.
 *
 * @throws Problem `not_found`
 */
export function removeHandout(
  context: Context,
  { id, uid, hash }: Target & { readonly hash: string },
  actor: AuditActor,
): Promise<Teaching> {
  return changeRows(context, async (tx) => {
    const current = await targetOf(tx, id, { uid }, texts.gone)
    const present = current.handouts ?? []
    const removed = present.find((each) => each.hash === hash)
    if (!removed) throw new Problem('not_found', texts.removed)
    await writeHandouts(
      tx,
      current.id,
      present.filter((each) => each !== removed),
    )
    const details = { id: current.id, name: removed.name }
    const entry = { actor, action: 'handout.removed', subject: current.title, details }
    await writeAudit(tx, entry, context.clock.now())
    return (await findTeaching(tx, current.id))!
  })
}

const hourMs = 60 * 60_000

/**
 * Removes files that no teaching refers to: of removed handouts, of teachings that were removed for good, and those that crashes
 * left behind. Files of the last hour may belong to an upload in progress.
 *
 * @returns how many files were removed
 */
export async function sweepHandouts(context: Context): Promise<number> {
  const { sql, storage, clock } = context
  const now = clock.now().getTime()
  if (await isBackupRunning(sql, new Date(now - 24 * hourMs))) return 0
  let removed = 0
  for await (const { name, modifiedAt } of storage.list('handouts')) {
    const hash = handoutOfFile(name)?.hash
    if (hash === undefined || modifiedAt.getTime() >= now - hourMs || (await isHandoutUsed(sql, hash)))
      continue
    if (await oneAtATime(context, hash, () => removeIfUnused(context, name))) removed += 1
  }
  return removed
}

/** Call it under the handout's lock. */
const removeIfUnused = async ({ sql, storage }: Pick<Context, 'sql' | 'storage'>, name: string) =>
  !(await isHandoutUsed(sql, handoutOfFile(name)!.hash)) && storage.remove('handouts', name)

/** Per file, so that none is removed while a teaching begins to use it, also by another process. */
const oneAtATime = <T>({ locks }: Pick<Context, 'locks'>, hash: string, work: () => Promise<T>): Promise<T> =>
  locks.run(handoutKey(hash), work)

/** The lock of a handout, by the hash of its bytes. */
export const handoutKey = (hash: string): string => `handout ${hash}`
