import { recordingWalk } from '@fellowship/schema/audio/audio.limits'
import type { Context } from '../../context.ts'
import { runWhenDue } from '../../db/locks.ts'
import { manyStats } from '../../machine/storage/blob-store.ts'
import { withStoredHashes } from '../../machine/storage/file-hash.ts'
import { recordingKey } from '../audio/audio.ts'
import { lockForWriting } from '../teachings/teachings.ts'
import { copiesToHash, forgetCopy, forgetUnused, isFileUsed, madeCopies, weekNow } from './copies.sql.ts'

type Files = Pick<Context, 'sql' | 'changes' | 'log'>

/** Forgets copies if their files are missing or truncated, as after a restore elsewhere. The worker makes them again. */
export async function checkCopies(context: Files & Pick<Context, 'storage'>): Promise<void> {
  const statOf = await manyStats(context.storage, 'audio')
  const gone: string[] = []
  for (const { sha256, copySha256, copyBytes } of await madeCopies(context.sql)) {
    const file = await statOf(copyName(copySha256))
    if (file?.bytes !== copyBytes) gone.push(sha256)
  }
  await forget(context, gone, 'small copies are missing on disk and are made anew')
}

/**
 * Compares a share of the copies with their hashes once a week, so that each one has its turn. If one is damaged, the worker
 * makes it again.
 *
 * @returns whether the walk was due and ran
 */
export async function walkCopies(
  context: Files & Pick<Context, 'storage' | 'locks'>,
  share: number = recordingWalk.share,
): Promise<boolean> {
  const { sql, storage } = context
  return runWhenDue(context, { name: 'small copy walk', days: recordingWalk.everyDays }, () =>
    withStoredHashes(storage, 'audio', async (hashOf) => {
      const damaged: string[] = []
      const turn = { weeks: Math.round(1 / share), week: await weekNow(sql) }
      for (const { copySha256, copyBytes } of await copiesToHash(sql, turn)) {
        const stored = await storage.stat('audio', copyName(copySha256))
        if (!stored || (await hashOf(copyName(copySha256), copyBytes)) !== copySha256)
          damaged.push(copySha256)
      }
      await forgetDamagedCopies(context, damaged)
    }),
  )
}

/** Forgets damaged copies, given by their own hashes. The worker makes them again. */
export async function forgetDamagedCopies(context: Files, copySha256s: readonly string[]): Promise<void> {
  if (copySha256s.length === 0) return
  const damaged = (await madeCopies(context.sql)).filter(({ copySha256 }) => copySha256s.includes(copySha256))
  const sha256s = damaged.map(({ sha256 }) => sha256)
  await forget(context, sha256s, 'small copies are damaged on disk and are made anew')
}

async function forget({ sql, changes, log }: Files, sha256s: readonly string[], why: string): Promise<void> {
  for (const sha256 of sha256s) {
    await sql.begin(async (tx) => {
      await lockForWriting(tx)
      await forgetCopy(tx, sha256)
    })
  }
  if (sha256s.length === 0) return
  log.warn({ forgotten: sha256s.length }, why)
  changes.announce()
}

/** Deletes the copies of purged recordings. Call it when the recordings were deleted. */
export async function removeUnusedCopies(context: Removing): Promise<void> {
  for (const sha256 of await forgetUnused(context.sql)) await removeUnlessUsed(context, copyName(sha256))
}

type Removing = Pick<Context, 'sql' | 'storage' | 'locks'>

/** Deletes a file from the storage of recordings, unless it is in use: a downloaded copy may have been uploaded. */
export function removeUnlessUsed({ sql, storage, locks }: Removing, name: string): Promise<void> {
  const sha256 = name.slice(0, 64)
  return locks.run(recordingKey(sha256), async () => {
    if (!(await isFileUsed(sql, sha256))) await storage.remove('audio', name)
  })
}

/** The file of a copy in the storage of recordings. */
export const copyName = (sha256: string): string => `${sha256}.mp3`
