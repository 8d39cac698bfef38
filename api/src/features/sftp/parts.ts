import path from 'node:path'
import { lstat, readdir, rmdir, unlink } from 'node:fs/promises'
import { resumeMinutes } from '@fellowship/schema/sftp/sftp.limits'
import type { Context } from '../../context.ts'
import { wholenessOf } from '../../machine/audio/audio-reader.ts'
import { announcedSizes } from './drop-state.ts'
import type { DropFolder } from './drop-folder.ts'
import { isSystemFile } from './drop-paths.ts'

/** A file of the drop folder that is not imported; most are incomplete. */
export interface Part {
  /** The path that a client sees. */
  path: string
  file: string
  bytes: number
  /** Its ctime, as the sender may set any modification date. */
  touchedAt: Date
}

/** All files and folders of the drop folder, recursively. */
export async function partsOf({ storage }: Pick<Context, 'storage'>) {
  const root = storage.inbox.dropFolder
  const parts: Part[] = []
  const folders: Part[] = []
  for (const entry of await readdir(root, { recursive: true, withFileTypes: true })) {
    const file = path.join(entry.parentPath, entry.name)
    const found = await lstat(file).catch(() => undefined)
    if (!found || (!found.isFile() && !found.isDirectory())) continue
    const part = {
      path: `/${path.relative(root, file).split(path.sep).join('/')}`,
      file,
      bytes: found.size,
      touchedAt: found.ctime,
    }
    ;(found.isFile() ? parts : folders).push(part)
  }
  return { parts, folders }
}

/** The received percentage of a file; undefined if neither its sender nor its structure gives its length. */
export async function percentOf(
  { storage }: Pick<Context, 'storage'>,
  { path: name, file, bytes }: Part,
): Promise<number | undefined> {
  const announced = announcedSizes(storage).get(name) ?? 0
  if (announced > 0) return Math.min(100, Math.floor((bytes / announced) * 100))
  return (await wholenessOf(file).catch(() => undefined))?.percent
}

/** Whether a part may be deleted: it is empty, or created by an operating system. */
export const isNeedless = ({ path: name, bytes }: Part): boolean =>
  bytes === 0 || isSystemFile(path.posix.basename(name))

/** Imports files that were left for two minutes: they are published, or go to the Inbox with the reason. */
export async function sweepParts(context: Context, folder: DropFolder): Promise<void> {
  const { clock, log } = context
  const idleMs = (part: Part) => clock.now().getTime() - part.touchedAt.getTime()
  const isOpen = (part: Part) => folder.writers().some((writer) => writer.path === part.path)
  for (const part of (await partsOf(context)).parts) {
    if (isNeedless(part) || isOpen(part) || idleMs(part) < resumeMinutes * 60_000) continue
    try {
      await folder.importLeft(part.path)
    } catch (error) {
      log.error({ err: error, path: part.path }, 'an incomplete file could not be checked')
    }
  }
}

/** Removes needless files and empty folders older than `minutes`. */
export async function cleanParts(
  context: Context,
  minutes: number,
): Promise<{ deleted: string[]; kept: number; errors: string[] }> {
  const before = context.clock.now().getTime() - minutes * 60_000
  const { parts, folders } = await partsOf(context)
  const old = parts.filter(({ touchedAt }) => touchedAt.getTime() <= before)
  const deleted: string[] = []
  const errors: string[] = []
  for (const part of old.filter(isNeedless)) {
    await unlink(part.file).then(
      () => deleted.push(part.path.slice(1)),
      (error: Error) => errors.push(`${part.path.slice(1)}: ${error.message}`),
    )
  }
  // Innermost first; rmdir fails if the folder is not empty.
  for (const { file, touchedAt } of folders.sort((a, b) => b.path.length - a.path.length)) {
    if (touchedAt.getTime() <= before) await rmdir(file).catch(() => undefined)
  }
  return { deleted, kept: old.length - deleted.length, errors }
}
