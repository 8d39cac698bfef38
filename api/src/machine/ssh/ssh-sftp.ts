import type { Socket } from 'node:net'
import path from 'node:path'
import ssh2, { type Attributes, type FileEntry, type SFTPWrapper } from 'ssh2'
import { FileRefusal, type FileChanges, type FileFacts, type ServedFiles } from './ssh-files.ts'
import { OrderedFile } from './ssh-open-file.ts'
import { batchReplies } from './ssh-replies.ts'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

interface SftpOptions {
  files: ServedFiles
  openFiles: number
  /** Told of whatever went wrong that is no refusal. */
  onFault: (error: unknown) => void
  /** Told of every request. */
  onRequest: () => void
  /** What the session runs over. */
  socket: Socket
}

type Handle = { file: OrderedFile } | { left: FileEntry[] }

/** Answers the SFTP requests (version 3, draft-ietf-secsh-filexfer-02) of one client out of `files`. */
export function serveSftp(
  sftp: SFTPWrapper,
  { files, openFiles, onFault, onRequest, socket }: SftpOptions,
): void {
  const replies = batchReplies(sftp, socket)
  const handles = new Map<number, Handle>()
  let lastHandle = 0
  let isOver = false

  const refuse = (id: number, error: unknown) => {
    if (isOver) return
    if (error instanceof FileRefusal) return sftp.status(id, statusOf[error.kind], error.message)
    const code = (error as NodeJS.ErrnoException | null)?.code ?? ''
    const known = systemRefusals[code]
    if (known) return sftp.status(id, known[0], known[1])
    onFault(error)
    sftp.status(id, STATUS_CODE.FAILURE, 'Something went wrong on our side. Try again in a moment.')
  }
  let before: Promise<unknown> = Promise.resolve()
  /**
   * Every request has one answer, whatever happens. They are worked off in the order they came: sshfs asks for a file's
   * attributes behind the request that creates it, without waiting.
   */
  const answer = (id: number, work: () => Promise<(() => void) | void>) => {
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
  }
  const keep = (handle: Handle): Buffer => {
    const name = Buffer.alloc(4)
    name.writeUInt32BE((lastHandle += 1))
    handles.set(lastHandle, handle)
    return name
  }
  const assertRoom = () => {
    if (handles.size >= openFiles) throw new FileRefusal('failure', 'Too many files are open at once.')
  }
  const handleOf = (name: Buffer): Handle => {
    const handle = name.length === 4 ? handles.get(name.readUInt32BE()) : undefined
    if (!handle) throw new FileRefusal('failure', 'This file is not open.')
    return handle
  }
  const fileOf = (name: Buffer): OrderedFile => {
    const handle = handleOf(name)
    if (!('file' in handle)) throw new FileRefusal('failure', 'This is a folder.')
    return handle.file
  }

  sftp.on('OPEN', (id, name, flags, attributes) =>
    answer(id, async () => {
      assertRoom()
      // ssh2's own flagsToString knows neither WRITE alone (resume in FileZilla) nor WRITE|CREAT (scp, sshfs). APPEND
      // is left aside: clients say where each piece goes, and the system would write it at the end all the same.
      const has = (flag: number) => (flags & flag) !== 0
      const opened = await files.open(absolute(name), {
        read: has(OPEN_MODE.READ),
        write: has(OPEN_MODE.WRITE) || has(OPEN_MODE.APPEND),
        create: has(OPEN_MODE.CREAT),
        truncate: has(OPEN_MODE.TRUNC),
        exclusive: has(OPEN_MODE.EXCL),
        announcedSize: attributes.size,
      })
      const file = new OrderedFile(opened, replies.room)
      if (isOver) return await file.close(false)
      const handle = keep({ file })
      return () => sftp.handle(id, handle)
    }),
  )
  sftp.on('WRITE', (id, name, position, data) => {
    onRequest()
    try {
      fileOf(name).write(position, data, (failure) => {
        if (failure) refuse(id, failure)
        else if (!isOver) sftp.status(id, STATUS_CODE.OK)
      })
    } catch (error) {
      refuse(id, error)
    }
  })
  sftp.on('READ', (id, name, position, length) => {
    onRequest()
    try {
      fileOf(name).read(position, length, (data) => {
        if (data instanceof Error) refuse(id, data)
        else if (isOver) return
        else if (data.length === 0) sftp.status(id, STATUS_CODE.EOF, 'End of file')
        else sftp.data(id, data)
      })
    } catch (error) {
      refuse(id, error)
    }
  })
  sftp.on('CLOSE', (id, name) =>
    answer(id, async () => {
      const handle = handleOf(name)
      handles.delete(name.readUInt32BE())
      if ('file' in handle) await handle.file.close(true)
    }),
  )
  sftp.on('FSTAT', (id, name) =>
    answer(id, async () => {
      const facts = await fileOf(name).facts()
      return () => sftp.attrs(id, attributesOf(facts))
    }),
  )
  sftp.on('FSETSTAT', (id, name, wanted) => answer(id, () => changeBy(() => fileOf(name), wanted)))
  const stat = (id: number, name: string) =>
    answer(id, async () => {
      const facts = await files.facts(absolute(name))
      return () => sftp.attrs(id, attributesOf(facts))
    })
  sftp.on('STAT', stat)
  sftp.on('LSTAT', stat)
  sftp.on('SETSTAT', (id, name, wanted) =>
    answer(id, () =>
      changeBy(() => ({ change: (changes) => files.change(absolute(name), changes) }), wanted),
    ),
  )
  sftp.on('OPENDIR', (id, name) =>
    answer(id, async () => {
      assertRoom()
      const listed = await files.list(absolute(name))
      const left = listed.map((entry) => entryOf(entry.name, entry.facts))
      const handle = keep({ left })
      return () => sftp.handle(id, handle)
    }),
  )
  sftp.on('READDIR', (id, name) =>
    answer(id, async () => {
      const handle = handleOf(name)
      if (!('left' in handle)) throw new FileRefusal('failure', 'This is not a folder.')
      const part = handle.left.splice(0, 100)
      return () => (part.length > 0 ? sftp.name(id, part) : sftp.status(id, STATUS_CODE.EOF, 'End of folder'))
    }),
  )
  sftp.on('REALPATH', (id, name) =>
    answer(id, async () => {
      const filename = absolute(name)
      return () => sftp.name(id, [{ filename, longname: filename, attrs: attributesOf(unknownFacts) }])
    }),
  )
  sftp.on('REMOVE', (id, name) => answer(id, () => files.remove(absolute(name))))
  sftp.on('RMDIR', (id, name) => answer(id, () => files.removeFolder(absolute(name))))
  sftp.on('MKDIR', (id, name) => answer(id, () => files.makeFolder(absolute(name))))
  sftp.on('RENAME', (id, from, to) =>
    answer(id, () => files.rename(absolute(from), absolute(to), { overwrite: false })),
  )
  // Asked with bytes that are no text, ssh2 would answer by itself; these are answered alike in every case.
  for (const request of ['READLINK', 'SYMLINK']) {
    sftp.on(request, (id: number) =>
      refuse(id, new FileRefusal('unsupported', 'Links are not supported here.')),
    )
  }
  sftp.on('EXTENDED', (id: number, name: string, data: Buffer | undefined) =>
    answer(id, async () => {
      if (name !== 'posix-rename@openssh.com') throw new FileRefusal('unsupported', 'Not supported here.')
      const [from, to] = twoStrings(data)
      await files.rename(absolute(from), absolute(to), { overwrite: true })
    }),
  )

  const end = async () => {
    if (isOver) return
    isOver = true
    replies.end()
    const open = [...handles.values()]
    handles.clear()
    for (const handle of open) {
      if ('file' in handle) await handle.file.close(false).catch(onFault)
    }
  }
  sftp.on('end', () => {
    void end().then(() => {
      replies.reportSuccess()
      // OpenSSH's client waits for it, and hangs without.
      sftp.end()
    })
  })
  sftp.on('close', () => void end())
  sftp.on('error', () => undefined)
}

const statusOf = {
  'no-such-file': STATUS_CODE.NO_SUCH_FILE,
  'permission-denied': STATUS_CODE.PERMISSION_DENIED,
  failure: STATUS_CODE.FAILURE,
  unsupported: STATUS_CODE.OP_UNSUPPORTED,
}

/** What the disk says, in words for the client's screen. */
const systemRefusals: Record<string, readonly [status: number, sentence: string]> = {
  ENOENT: [STATUS_CODE.NO_SUCH_FILE, 'There is no file or folder of this name.'],
  ENOTDIR: [STATUS_CODE.NO_SUCH_FILE, 'There is no folder of this name.'],
  EEXIST: [STATUS_CODE.FAILURE, 'There is a file or folder of this name already.'],
  ENOTEMPTY: [STATUS_CODE.FAILURE, 'The folder is not empty.'],
  EISDIR: [STATUS_CODE.FAILURE, 'This is a folder.'],
  ELOOP: [STATUS_CODE.PERMISSION_DENIED, 'Links are not supported here.'],
  ENAMETOOLONG: [STATUS_CODE.FAILURE, 'The name is too long. Shorten it and send the file again.'],
  EINVAL: [STATUS_CODE.FAILURE, 'This is not possible here.'],
  ENOSPC: [STATUS_CODE.FAILURE, 'The server has no room for this file. Ask an administrator to free space.'],
  EDQUOT: [STATUS_CODE.FAILURE, 'The server has no room for this file. Ask an administrator to free space.'],
}

const absolute = (name: string): string => {
  const normal = path.posix.normalize(`/${name}`)
  return normal.length > 1 ? normal.replace(/\/$/, '') : normal
}

const unknownFacts: FileFacts = { isFolder: true, size: 0, modifiedAt: 0 }

function attributesOf({ isFolder, size, modifiedAt }: FileFacts): Attributes {
  const mode = isFolder ? 0o040_770 : 0o100_660
  return { mode, uid: 1000, gid: 1000, size, atime: modifiedAt, mtime: modifiedAt }
}

/** The line that simple clients show as it is. */
function entryOf(filename: string, facts: FileFacts): FileEntry {
  const kind = facts.isFolder ? 'drwxrwx---' : '-rw-rw----'
  const [, month, day, year] = /^\w+, (\d\d) (\w+) (\d+)/
    .exec(new Date(facts.modifiedAt * 1000).toUTCString())!
    .map(String) as [string, string, string, string]
  const longname = `${kind}    1 uploads  uploads  ${String(facts.size).padStart(12)} ${day} ${month}  ${year} ${filename}`
  return { filename, longname, attrs: attributesOf(facts) }
}

/** Mode and owner are accepted and left aside: clients give up an upload whose SETSTAT is refused. */
async function changeBy(
  target: () => { change(changes: FileChanges): Promise<void> },
  { size, mtime }: Partial<Attributes>,
): Promise<void> {
  const found = target()
  if (size === undefined && mtime === undefined) return
  await found.change({ size, modifiedAt: mtime })
}

/** Two strings of RFC 4251 5, one behind the other. */
function twoStrings(data: Buffer | undefined): [string, string] {
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
