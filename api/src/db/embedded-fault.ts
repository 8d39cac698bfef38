/** What the embedded PostgreSQL's programs print about a fault of the disk, and the system's code for it. */
const diskFaults: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'ENOSPC'],
  [/Disk quota exceeded/, 'EDQUOT'],
  [/Read-only file system/, 'EROFS'],
  [/(?:FATAL|PANIC|error): .*(?:Permission denied|has wrong ownership)/, 'EACCES'],
  [/Input\/output error/, 'EIO'],
]

/**
 * The error for a program of PostgreSQL that gave up: a fault of the disk as the system's own error, so that it is told
 * in the same sentence as any other; else what the program says was the reason, in one line.
 *
 * @param what such as "PostgreSQL did not start"
 * @param folder that it worked in
 * @param printed all that it printed
 */
export function embeddedFault(what: string, folder: string, printed: string): Error {
  const code = diskFaults.find(([pattern]) => pattern.test(printed))?.[1]
  const reason = /(?:FATAL|PANIC|error): +(.*)/.exec(printed)?.[1] ?? printed.trim().replaceAll(/\s+/g, ' ')
  const error = new Error(`${what}: ${reason || 'it said nothing'}`)
  return code === undefined ? error : Object.assign(error, { code, path: folder })
}
