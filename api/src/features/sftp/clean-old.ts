import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { removeOrphan, unfinishedUploads } from '../uploads/uploads.ts'
import { cleanParts } from './parts.ts'

type Directory = 'sftp-staging' | 'uploads'

/** Removes old files that nothing needs; files of open uploads, resumable parts and the Inbox stay. */
export async function cleanOld(
  context: Context,
  actor: Actor,
  { directories, olderThanMinutes }: { directories: readonly Directory[]; olderThanMinutes: number },
): Promise<{ deleted: string[]; kept: number; errors: string[] }> {
  const cleaned = await Promise.all(
    [...new Set(directories)].map((directory) =>
      directory === 'uploads'
        ? cleanUploads(context, olderThanMinutes)
        : cleanParts(context, olderThanMinutes),
    ),
  )
  const result = {
    deleted: cleaned.flatMap(({ deleted }) => deleted),
    kept: cleaned.reduce((sum, { kept }) => sum + kept, 0),
    errors: cleaned.flatMap(({ errors }) => errors),
  }
  const details = { deleted: result.deleted.length, kept: result.kept }
  await writeAudit(
    context.sql,
    { actor, action: 'sftp.cleaned', subject: directories.join(', '), details },
    context.clock.now(),
  )
  return result
}

async function cleanUploads(context: Context, minutes: number) {
  const before = context.clock.now().getTime() - minutes * 60_000
  const old = (await unfinishedUploads(context)).filter(({ writtenAt }) => writtenAt.getTime() <= before)
  const deleted: string[] = []
  const errors: string[] = []
  for (const { id, owner } of old) {
    if (owner) continue
    await removeOrphan(context, id).then(
      (isRemoved) => void (isRemoved && deleted.push(id)),
      (error: Error) => errors.push(`${id}: ${error.message}`),
    )
  }
  return { deleted, kept: old.length - deleted.length, errors }
}
