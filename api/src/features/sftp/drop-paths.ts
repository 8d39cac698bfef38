import path from 'node:path'
import { constants } from 'node:fs'
import { lstat, open, realpath, type FileHandle } from 'node:fs/promises'
import { FileRefusal, type FileFacts } from '../../machine/ssh/ssh-files.ts'

/**
 * Confines client paths to one folder (chroot). They are absolute and normalized, so that '..' cannot leave the folder;
 * symbolic links are refused in every part of a path.
 */
export function jailOf(root: string) {
  const inside = (virtual: string): string => {
    if (virtual.includes('\0'))
      throw new FileRefusal('permission-denied', 'The name holds a character that no name may hold.')
    return path.join(root, virtual)
  }
  /** @throws FileRefusal if a part of the path is a symbolic link */
  const resolve = async (virtual: string): Promise<string> => {
    const file = inside(virtual)
    if (virtual === '/') return file
    const folder = path.dirname(file)
    const [real, home] = await Promise.all([realpath(folder), realpath(root)])
    if (real !== path.resolve(home, `.${path.posix.dirname(virtual)}`)) throw linkRefusal()
    if ((await lstat(file).catch(() => undefined))?.isSymbolicLink()) throw linkRefusal()
    return file
  }
  return {
    resolve,
    async facts(virtual: string): Promise<FileFacts> {
      const found = await lstat(await resolve(virtual))
      return {
        isFolder: found.isDirectory(),
        size: found.isDirectory() ? 0 : found.size,
        modifiedAt: Math.floor(found.mtimeMs / 1000),
      }
    },
    /** Opens a regular file. O_NOFOLLOW closes the race with a link created after the check. */
    async open(virtual: string, flags: number): Promise<FileHandle> {
      const handle = await open(
        await resolve(virtual),
        flags | constants.O_NOFOLLOW | constants.O_NONBLOCK,
        0o640,
      )
      try {
        if ((await handle.stat()).isFile()) return handle
        throw new FileRefusal('failure', 'This is not a file.')
      } catch (error) {
        await handle.close()
        throw error
      }
    },
  }
}

export type Jail = ReturnType<typeof jailOf>

const linkRefusal = () => new FileRefusal('permission-denied', 'Links are not supported here.')

/** Temporary names that clients rename when a file is complete: WinSCP, Cyberduck, rclone, lftp. */
const unfinished =
  /\.(?:filepart|part|partial|tmp|temp|uploading|upload|crdownload|download|duck|lftp|swp|bak)$|~$/i

/** The name that a client will give a file when it is complete. */
export const withoutTemporaryEnd = (name: string): string => name.replace(unfinished, '') || name

/** Files that operating systems create in folders they browse. */
const systemFiles = /^(?:\.|Thumbs\.db$|desktop\.ini$)/i

/** Whether a file of this name is finished: neither temporary nor created by an operating system. */
export const isFinalName = (name: string): boolean => !unfinished.test(name) && !systemFiles.test(name)

/** Whether an operating system creates files of this name by itself. */
export const isSystemFile = (name: string): boolean => systemFiles.test(name) && !unfinished.test(name)
