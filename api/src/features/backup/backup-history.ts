import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import type { BackupLine } from '@fellowship/schema/backup/backup.contract'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { compareRecordings } from '../audio/audio.ts'
import { forgetDamagedCopies } from '../copies/copies.ts'
import { backupFileName } from './backup-names.ts'
import type { BackupPlan } from './backup-plan.ts'
import { endBackup, insertBackup } from './backup.sql.ts'
import type { Manifest } from './manifest.ts'

/** Records the start of a backup in the history and in the audit log. */
export async function recordStart(
  context: Context,
  plan: BackupPlan,
  kind: BackupLine['kind'],
  /** Null for the weekly backup. */
  actor: Actor | null,
): Promise<void> {
  const { sql, clock } = context
  const { fileName, files, bytes } = plan
  await insertLine(context, kind, actor, plan)
  // Entries of a daily routine would bury those of people.
  if (kind === 'daily') return
  await writeAudit(
    sql,
    {
      actor,
      action: 'backup.started',
      subject: fileName,
      details: { kind, files, bytes, missing: [...plan.missing].slice(0, 100) },
    },
    clock.now(),
  )
}

/** Records a backup that failed before anything of it was written. */
export async function recordFailedPlan(
  context: Context,
  {
    kind,
    scope,
    actor,
    sentence,
  }: Pick<BackupLine, 'kind'> & { scope: Manifest['scope']; actor: Actor | null; sentence: string },
): Promise<void> {
  const { clock, config } = context
  const id = randomUUID()
  const at = clock.now()
  await insertLine(context, kind, actor, {
    id,
    at,
    fileName: backupFileName(config, scope, at),
    bytes: 0,
    files: 0,
  })
  await recordEnd(context, id, 'failed', sentence)
}

function insertLine(
  { sql, node }: Context,
  kind: BackupLine['kind'],
  actor: Actor | null,
  { id, at, fileName, bytes, files }: Pick<BackupPlan, 'id' | 'at' | 'fileName' | 'bytes' | 'files'>,
): Promise<void> {
  return insertBackup(sql, {
    id,
    kind,
    startedAt: at,
    userId: actor?.id ?? null,
    actor: actor?.name ?? 'the product',
    fileName,
    bytes,
    files,
    process: node.process,
  })
}

/**
 * Records that a backup was written whole; one that a restore would refuse counts as failed. Recordings that were found damaged
 * while it was written are compared with their hashes, for System Info; damaged small copies are made again.
 *
 * @returns a sentence about missing and damaged files; null if there are none
 */
export async function recordComplete(context: Context, plan: BackupPlan): Promise<string | null> {
  const damaged = plan.damaged()
  const sentences = [
    ...(plan.refused === undefined ? [] : [backupTexts.refusedRow(plan.refused)]),
    ...(plan.missing.length > 0 ? [backupTexts.gaps(plan.missing)] : []),
    ...(damaged.length > 0 ? [backupTexts.damaged(damaged.map(({ name }) => name))] : []),
  ]
  const sentence = sentences.join(' ') || null
  await recordEnd(context, plan.id, plan.refused === undefined ? 'complete' : 'failed', sentence)
  const hashes = damaged.map(({ sha256 }) => sha256)
  await Promise.all([compareRecordings(context, hashes), forgetDamagedCopies(context, hashes)]).catch(
    (error: unknown) =>
      context.log.error({ err: error, id: plan.id }, 'what is damaged in a backup could not be noted'),
  )
  return sentence
}

/**
 * Records how a backup ended. If the database is away, it retries until the database is back or the server stops: a backup
 * that ended must not be listed as running for as long as this process lives.
 */
export async function recordEnd(
  { sql, clock, log, lifecycle }: Context,
  id: string,
  result: BackupLine['result'],
  sentence: string | null = null,
): Promise<void> {
  const at = clock.now()
  for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
    try {
      return await endBackup(sql, id, { result, sentence, at })
    } catch (error) {
      if (pause === firstPauseMs)
        log.error({ err: error, id }, 'the end of a backup could not be recorded yet')
      if (lifecycle.draining) return
      await Promise.race([delay(pause, undefined, { ref: false }), lifecycle.ended])
    }
  }
}

const firstPauseMs = 250
const longestPauseMs = 10_000
