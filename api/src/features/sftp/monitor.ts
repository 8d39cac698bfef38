import type { MonitoredFile, SftpMonitor } from '@fellowship/schema/sftp/sftp.contract'
import { resumeMinutes } from '@fellowship/schema/sftp/sftp.limits'
import { sftpTexts as texts } from '@fellowship/schema/sftp/sftp.texts'
import { unfinishedUploads, removeOrphan } from '../uploads/uploads.ts'
import type { Context } from '../../context.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { arrivingRecordings } from '../inbox/inbox.ts'
import { isNeedless, partsOf, percentOf, cleanParts, type Part } from './parts.ts'
import { bansAfter } from './sftp.sql.ts'

interface Found {
  name: string
  bytes: number
  touchedAt: Date
  note: string | null
}

/** The unfinished files of both upload folders, newest first, and the banned addresses. */
export async function monitorFiles(context: Context): Promise<SftpMonitor> {
  const { sql, clock } = context
  const now = clock.now()
  const found = { 'sftp-staging': await scan(stagedFiles), uploads: await scan(uploadedFiles) }
  const all = Object.values(found).flatMap(({ files }) => files)
  const bans = await bansAfter(sql, now)
  return {
    success: true,
    totalFiles: all.length,
    totalSizeFormatted: size(total(all)),
    lastUpdated: now.toISOString(),
    directories: Object.fromEntries(
      Object.entries(found).map(([name, { files, error }]) => [
        name,
        {
          exists: error === null,
          error,
          count: files.length,
          sizeFormatted: size(total(files)),
          files: files.map((file) => monitored(file, now)),
        },
      ]),
    ),
    bans: bans.map(({ address, tries, until }) => ({ address, tries, until: until.toISOString() })),
  }

  async function scan(folder: (context: Context) => Promise<Found[]>) {
    try {
      const files = await folder(context)
      return { files: files.sort((a, b) => b.touchedAt.getTime() - a.touchedAt.getTime()), error: null }
    } catch (error) {
      return { files: [], error: (error as Error).message }
    }
  }
}

async function stagedFiles(context: Context): Promise<Found[]> {
  const { parts } = await partsOf(context)
  const staged = await Promise.all(
    parts.map(async (part) => ({
      name: part.path.slice(1),
      bytes: part.bytes,
      touchedAt: part.touchedAt,
      note: isNeedless(part) ? texts.needless : await stateOf(part),
    })),
  )
  // Moved out of the folder already; a full disk, for example, keeps them until the next try.
  const arriving = (await arrivingRecordings(context)).map(({ filename, bytes, arrivedAt }) => ({
    name: filename,
    bytes,
    touchedAt: arrivedAt,
    note: texts.beingPublished,
  }))
  return [...staged, ...arriving]

  async function stateOf(part: Part): Promise<string> {
    const idle = Math.max(0, context.clock.now().getTime() - part.touchedAt.getTime()) / 1000
    const rest = texts.waitingForRest(await percentOf(context, part))
    return `${rest}, ${texts.judgedIn(resumeMinutes * 60 - idle)}`
  }
}

async function uploadedFiles(context: Context): Promise<Found[]> {
  return (await unfinishedUploads(context)).map(({ id, bytes, writtenAt, owner }) => ({
    name: owner?.filename ?? id,
    bytes,
    touchedAt: writtenAt,
    note: owner ? texts.waitingForRest(Math.floor((bytes / Math.max(1, owner.declaredBytes)) * 100)) : null,
  }))
}

const monitored = ({ name, bytes, touchedAt, note }: Found, now: Date): MonitoredFile => ({
  name,
  sizeFormatted: size(bytes),
  age: Math.max(0, (now.getTime() - touchedAt.getTime()) / 60_000),
  note,
})

const total = (files: readonly Found[]) => files.reduce((sum, { bytes }) => sum + bytes, 0)

/** '640 kB', '21.4 MB': decimal units, as phones show them. */
function size(bytes: number): string {
  if (bytes < 1_000_000) return `${Math.ceil(bytes / 1000)} kB`
  if (bytes < 1_000_000_000) return `${(bytes / 1_000_000).toFixed(1)} MB`
  return `${(bytes / 1_000_000_000).toFixed(2)} GB`
}

type Directory = 'sftp-staging' | 'uploads'

/** Removes old files that are not needed. Files of open uploads, resumable parts and the Inbox stay. */
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
