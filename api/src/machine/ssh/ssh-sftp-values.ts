import path from 'node:path'
import type { Attributes, FileEntry } from 'ssh2'
import { FileRefusal, type FileChanges, type FileFacts } from './ssh-files.ts'

/** A client's path, absolute and normalized. */
export const absolute = (name: string): string => {
  const normal = path.posix.normalize(`/${name}`)
  return normal.length > 1 ? normal.replace(/\/$/, '') : normal
}

/** For answers that name a path without looking at it. */
export const unknownFacts: FileFacts = { isFolder: true, size: 0, modifiedAt: 0 }

export function attributesOf({ isFolder, size, modifiedAt }: FileFacts): Attributes {
  const mode = isFolder ? 0o040_770 : 0o100_660
  return { mode, uid: 1000, gid: 1000, size, atime: modifiedAt, mtime: modifiedAt }
}

/** A folder entry with the `ls -l` line that simple clients print. */
export function entryOf(filename: string, facts: FileFacts): FileEntry {
  const kind = facts.isFolder ? 'drwxrwx---' : '-rw-rw----'
  const [, month, day, year] = /^\w+, (\d\d) (\w+) (\d+)/
    .exec(new Date(facts.modifiedAt * 1000).toUTCString())!
    .map(String) as [string, string, string, string]
  const longname = `${kind}    1 uploads  uploads  ${String(facts.size).padStart(12)} ${day} ${month}  ${year} ${filename}`
  return { filename, longname, attrs: attributesOf(facts) }
}

/**
 * The changes to make, undefined where there are none. Mode and owner are accepted and ignored: clients give up an upload
 * whose SETSTAT is refused.
 */
export function changesOf({ size, mtime }: Partial<Attributes>): FileChanges | undefined {
  return size === undefined && mtime === undefined ? undefined : { size, modifiedAt: mtime }
}

/** Two consecutive strings in the encoding of RFC 4251 5. */
export function twoStrings(data: Buffer | undefined): [string, string] {
  const strings: string[] = []
  for (let at = 0; data && at + 4 <= data.length && strings.length < 2;) {
    const length = data.readUInt32BE(at)
    if (at + 4 + length > data.length) break
    strings.push(data.toString('utf8', at + 4, at + 4 + length))
    at += 4 + length
  }
  const [first, second] = strings
  if (first === undefined || second === undefined) {
    throw new FileRefusal('failure', 'The request could not be read.')
  }
  return [first, second]
}
