import path from 'node:path'
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { FileRefusal, type FileChanges, type FileFacts } from './ssh-files.ts'
import { sessionParts, type SessionParts } from './ssh-private-parts.ts'

const { STATUS_CODE } = ssh2.utils.sftp

/** Sends the answer; without one, the request is answered with OK. */
export type Answered = (() => void) | void

export interface SftpAnswers {
  /**
   * Runs the work of a request and answers it. Requests run in the order they came: sshfs requests a file's attributes
   * right after the request that creates it, without waiting.
   */
  answer: (id: number, work: () => Promise<Answered>) => void
  /** Runs work that answers by itself, at once; its error is the refusal. */
  now: (id: number, work: () => void) => void
  refuse: (id: number, error: unknown) => void
  /** Whether the session has ended: nothing may be sent any more. */
  isOver: () => boolean
  end: () => void
}

/** Gives every request of an SFTP session one answer, whatever happens. */
export function sftpAnswers(
  sftp: SFTPWrapper,
  { onFault, onRequest }: { onFault: (error: unknown) => void; onRequest: () => void },
): SftpAnswers {
  let isOver = false
  let before: Promise<unknown> = Promise.resolve()
  return {
    answer(id, work) {
      onRequest()
      const mine = before.then(work)
      before = mine.catch(() => undefined)
      mine.then(
        (reply) => {
          if (isOver) return
          if (reply) reply()
          else sftp.status(id, STATUS_CODE.OK)
        },
        (error: unknown) => refuse(id, error),
      )
    },
    now(id, work) {
      onRequest()
      try {
        work()
      } catch (error) {
        refuse(id, error)
      }
    },
    refuse,
    isOver: () => isOver,
    end: () => (isOver = true),
  }

  function refuse(id: number, error: unknown): void {
    if (isOver) return
    const refusal = refusalFor(error)
    if (refusal) return sftp.status(id, ...refusal)
    onFault(error)
    sftp.status(id, STATUS_CODE.FAILURE, 'Something went wrong on our side. Try again in a moment.')
  }
}

type Refusal = readonly [status: number, sentence: string]

/** The answer to a request that is refused; undefined if the error is a fault of the server. */
export function refusalFor(error: unknown): Refusal | undefined {
  if (error instanceof FileRefusal) return [statusOf[error.kind], error.message]
  return systemRefusals[(error as NodeJS.ErrnoException | null)?.code ?? '']
}

const statusOf = {
  'no-such-file': STATUS_CODE.NO_SUCH_FILE,
  'permission-denied': STATUS_CODE.PERMISSION_DENIED,
  failure: STATUS_CODE.FAILURE,
  unsupported: STATUS_CODE.OP_UNSUPPORTED,
}

/** System errors as sentences for the client's screen. */
const systemRefusals: Record<string, Refusal> = {
  ENOENT: [STATUS_CODE.NO_SUCH_FILE, 'There is no file or folder of this name.'],
  ENOTDIR: [STATUS_CODE.NO_SUCH_FILE, 'There is no folder of this name.'],
  EEXIST: [STATUS_CODE.FAILURE, 'There is a file or folder of this name already.'],
  ENOTEMPTY: [STATUS_CODE.FAILURE, 'The folder is not empty.'],
  EBADF: [
    STATUS_CODE.PERMISSION_DENIED,
    'The file was not opened for this. Open it for reading, for writing or for both.',
  ],
  EISDIR: [STATUS_CODE.FAILURE, 'This is a folder.'],
  ELOOP: [STATUS_CODE.PERMISSION_DENIED, 'Links are not supported here.'],
  ENAMETOOLONG: [STATUS_CODE.FAILURE, 'The name is too long. Shorten it and send the file again.'],
  EINVAL: [STATUS_CODE.FAILURE, 'This is not possible here.'],
  ENOSPC: [STATUS_CODE.FAILURE, 'The server has no room for this file. Ask an administrator to free space.'],
  EDQUOT: [STATUS_CODE.FAILURE, 'The server has no room for this file. Ask an administrator to free space.'],
}

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
 * The changes to make, undefined if there are none. Mode and owner are accepted and ignored: clients give up an upload
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

/** The extension by which clients ask how large a request may be (OpenSSH's PROTOCOL, 4.8). */
export const limitsExtension = 'limits@openssh.com'

/** Bytes of one request, as ssh2 takes them, and bytes of a file in it: OpenSSH's server allows the same. */
const mostPacketBytes = 256 * 1024
const mostFileBytes = mostPacketBytes - 1024

/**
 * Names the extension in the first answer, which ssh2 sends without any. OpenSSH's client then sends and asks for 255 KiB
 * at a time instead of 32, so a recording takes an eighth of the requests and answers.
 */
export function announceLimits(sftp: SFTPWrapper): void {
  const session = sessionParts(sftp)
  const protocol = session._protocol
  session._protocol = Object.assign(Object.create(protocol) as SessionParts['_protocol'], {
    channelData(channel: number, data: Buffer) {
      session._protocol = protocol
      const more = versionWithLimits.length - data.length
      const isVersion = data.equals(plainVersion) && hasRoom(session, more)
      if (isVersion) session.outgoing.window -= more
      protocol.channelData(channel, isVersion ? versionWithLimits : data)
    },
  })
}

/**
 * Answers the question of a client; ssh2 has no method for it.
 *
 * @throws FileRefusal if the client has left no room for the answer: it goes on with small requests
 */
export function sendLimits(sftp: SFTPWrapper, id: number, openFiles: number): void {
  const session = sessionParts(sftp)
  const answer = Buffer.alloc(4 + 1 + 4 + 4 * 8)
  answer.writeUInt32BE(answer.length - 4, 0)
  answer[4] = extendedReply
  answer.writeUInt32BE(id, 5)
  for (const [index, limit] of [mostPacketBytes, mostFileBytes, mostFileBytes, openFiles].entries())
    answer.writeBigUInt64BE(BigInt(limit), 9 + 8 * index)
  if (session._buffer.length > 0 || !hasRoom(session, answer.length))
    throw new FileRefusal('unsupported', 'Not supported here.')
  session.outgoing.window -= answer.length
  session._protocol.channelData(session.outgoing.id, answer)
}

/** One byte is left over: ssh2 waits for the client's window only if one of its own answers has used it up. */
const hasRoom = ({ outgoing }: SessionParts, bytes: number) =>
  outgoing.state === 'open' && outgoing.window > bytes

const extendedReply = 201
/** SSH_FXP_VERSION, 3. */
const plainVersion = Buffer.from([0, 0, 0, 5, 2, 0, 0, 0, 3])
const versionWithLimits = packet(plainVersion.subarray(4), text(limitsExtension), text('1'))

function packet(...parts: Buffer[]): Buffer {
  const content = Buffer.concat(parts)
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length)
  return Buffer.concat([length, content])
}

function text(value: string): Buffer {
  return packet(Buffer.from(value))
}
