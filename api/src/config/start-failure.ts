import path from 'node:path'
import type { Config } from './config.ts'
import { databaseFailure } from './database-failure.ts'
import type { SystemError } from './system-error.ts'

/**
 * One sentence for an error that stopped the start: the setting, what is wrong with it, and the way out. Undefined for an
 * error that is not of the system; its own message is all there is.
 */
export function startFailure(error: unknown, config: Config): string | undefined {
  const found = (error ?? {}) as SystemError
  return listening(found, config) ?? databaseFailure(found, config) ?? files(found, config)
}

function listening({ code, syscall, port, hostname, address }: SystemError, { http, sftp }: Config) {
  const isLookup = syscall === 'getaddrinfo' && (hostname === http.host || hostname === sftp.host)
  if (syscall !== 'listen' && syscall !== 'bind' && !isLookup) return undefined
  const isSftp = isLookup
    ? hostname !== http.host
    : (port === sftp.port && port !== http.port) || (address === sftp.host && address !== http.host)
  const [portName, hostName] = isSftp ? ['SFTP_PORT', 'SFTP_HOST'] : ['PORT', 'HOST']
  const host = isSftp ? sftp.host : http.host
  const wanted = isSftp ? sftp.port : http.port
  const sentences: Record<string, string> = {
    EADDRINUSE: `${portName} is ${wanted}, which another program on this machine has. Stop that one, or set another: ${portName}=${wanted + 1}`,
    EADDRNOTAVAIL: `${hostName} is ${host}, which is no address of this machine. Set ${hostName}=127.0.0.1 behind a proxy, or ${hostName}=0.0.0.0 for every address of this machine.`,
    EACCES: `${portName} is ${wanted}, for which this user has no rights. Set one above 1023, such as ${portName}=3000, with a proxy in front.`,
    ENOTFOUND: `${hostName} is ${host}, a name that this machine does not know. Set an address: ${hostName}=127.0.0.1`,
  }
  return sentences[code === 'EAI_AGAIN' ? 'ENOTFOUND' : (code ?? '')]
}

function files({ code, path: file }: SystemError, config: Config): string | undefined {
  const { dataDir, database } = config
  if (file !== undefined && file === database.caFile) {
    const wrong = code === 'EISDIR' ? 'a folder' : `which cannot be read (${code})`
    return `DATABASE_CA is ${file}, ${wrong}. Set the path of a certificate file.`
  }
  const why: Record<string, string> = {
    EACCES: 'this user has no rights there. Give the folder to that user (chown), or set another DATA_DIR',
    EPERM: 'this user has no rights there. Give the folder to that user (chown), or set another DATA_DIR',
    EROFS: 'it is on a read-only disk. Set another DATA_DIR',
    // PostgreSQL's own code for it.
    '53100': fullDisk,
    ENOSPC: fullDisk,
    EDQUOT: 'the quota of this user is used up. Make room there, or set another DATA_DIR',
    ENOTDIR: 'a part of the path is a file. Set another DATA_DIR',
    EEXIST: 'a part of the path is a file. Set another DATA_DIR',
    ENOENT: 'no folder can be made there. Set another DATA_DIR',
    EIO: 'the disk fails. Check it, and restore a backup onto another one',
  }
  const sentence = why[code ?? '']
  if (!sentence) return undefined
  if (file !== undefined && !isWithin(dataDir, file) && !isWithin(file, dataDir)) {
    return isWithin(productFolder, file)
      ? `${file}, a part of the product, cannot be read (${code}). A build may be replacing it just now: let it end, or install and build anew, and start again.`
      : `${file} cannot be used (${code}). Check that it is there and that this user has rights to it, and start again.`
  }
  return `DATA_DIR is ${dataDir}, and ${file ?? 'it'} cannot be used: ${sentence}.`
}

const fullDisk = 'the disk is full. Make room there, or set another DATA_DIR'

/** The folder of the repository or of the release, seen from the sources and from the bundle. */
const productFolder = path.resolve(
  import.meta.dirname,
  path.basename(import.meta.dirname) === 'dist' ? '../..' : '../../..',
)

/** Whether a path is a folder or in it. */
function isWithin(folder: string, file: string): boolean {
  const relative = path.relative(folder, path.resolve(file))
  return relative !== '..' && !relative.startsWith(`..${path.sep}`)
}
