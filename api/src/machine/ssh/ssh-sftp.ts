import type { Socket } from 'node:net'
import ssh2, { type Attributes, type SFTPWrapper } from 'ssh2'
import { FileRefusal, type FileFacts, type ServedFiles } from './ssh-files.ts'
import { openHandles, OrderedFile, type HandleRoom, type OpenHandles } from './ssh-open-file.ts'
import { readLegacyNames } from './ssh-names.ts'
import { batchReplies, type Replies } from './ssh-replies.ts'
import {
  absolute,
  announceLimits,
  attributesOf,
  changesOf,
  entryOf,
  limitsExtension,
  refusalFor,
  sendLimits,
  sftpAnswers,
  twoStrings,
  unknownFacts,
  type Answered,
  type SftpAnswers,
} from './ssh-sftp-answers.ts'

interface SftpOptions {
  files: ServedFiles
  /** How many files and folders one channel may have open, and room for those of all channels. */
  openFiles: number
  room: HandleRoom
  /** Called for every error that is not a refusal. */
  onFault: (error: unknown) => void
  /** Called for every request. */
  onRequest: () => void
  /** The socket of the SSH connection. */
  socket: Socket
}

/** Answers the SFTP requests (version 3, draft-ietf-secsh-filexfer-02) of one client out of `files`. */
export function serveSftp(
  sftp: SFTPWrapper,
  { files, openFiles, room, onFault, onRequest, socket }: SftpOptions,
): void {
  const replies = batchReplies(sftp, socket)
  announceLimits(sftp)
  readLegacyNames(sftp)
  const handles = openHandles(openFiles, room)
  const answers = sftpAnswers(sftp, { onFault, onRequest })
  const session: SftpChannel = { sftp, files, handles, replies, answers }
  const { answer } = answers

  sftp.on('OPEN', (id, name, flags, { size }) => answer(id, () => openFile(session, id, name, flags, size)))
  sftp.on('WRITE', (id, handle, position, data) => writeFile(session, id, handle, position, data))
  sftp.on('READ', (id, handle, position, length) => readFile(session, id, handle, position, length))
  sftp.on('CLOSE', (id, handle) => answer(id, () => closeHandle(session, handle)))
  sftp.on('FSTAT', (id, handle) => answer(id, () => sendFacts(session, id, handles.file(handle).facts())))
  sftp.on('FSETSTAT', (id, handle, wanted) => answer(id, () => changeOpenFile(session, handle, wanted)))
  sftp.on('STAT', (id, name) => answer(id, () => sendFacts(session, id, files.facts(absolute(name)))))
  sftp.on('LSTAT', (id, name) => answer(id, () => sendFacts(session, id, files.facts(absolute(name)))))
  sftp.on('SETSTAT', (id, name, wanted) => answer(id, () => changePath(session, name, wanted)))
  sftp.on('OPENDIR', (id, name) => answer(id, () => openFolder(session, id, name)))
  sftp.on('READDIR', (id, handle) => answer(id, () => readFolder(session, id, handle)))
  sftp.on('REALPATH', (id, name) => answer(id, () => realPath(session, id, name)))
  sftp.on('REMOVE', (id, name) => answer(id, () => files.remove(absolute(name))))
  sftp.on('RMDIR', (id, name) => answer(id, () => files.removeFolder(absolute(name))))
  sftp.on('MKDIR', (id, name) => answer(id, () => files.makeFolder(absolute(name))))
  sftp.on('RENAME', (id, from, to) =>
    answer(id, () => files.rename(absolute(from), absolute(to), { overwrite: false })),
  )
  sftp.on('EXTENDED', (id: number, name: string, data: Buffer | undefined) =>
    answer(id, () => answerExtension(session, id, { name, data, openFiles })),
  )
  // ssh2 itself answers these when their bytes are no valid text; refused here, they are answered alike every time.
  for (const request of ['READLINK', 'SYMLINK']) {
    sftp.on(request, (id: number) =>
      answers.refuse(id, new FileRefusal('unsupported', 'Links are not supported here.')),
    )
  }
  endWithConnection(session, onFault)
}

/** Closes open files and folders when the client ends the session or its connection breaks. */
function endWithConnection(
  { sftp, answers, replies, handles }: SftpChannel,
  onFault: SftpOptions['onFault'],
) {
  const end = async () => {
    if (answers.isOver()) return
    answers.end()
    replies.end()
    for (const file of handles.clear()) {
      await file.close(false).catch((error: unknown) => {
        if (!refusalFor(error)) onFault(error)
      })
    }
  }
  sftp.on('end', () => {
    void end().then(() => {
      replies.reportSuccess()
      // OpenSSH's client hangs until its end is answered.
      sftp.end()
    })
  })
  sftp.on('close', () => void end())
  sftp.on('error', () => undefined)
}

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

/** One client's SFTP session. */
interface SftpChannel {
  readonly sftp: SFTPWrapper
  readonly files: ServedFiles
  readonly handles: OpenHandles
  readonly replies: Replies
  readonly answers: SftpAnswers
}

async function openFile(
  session: SftpChannel,
  id: number,
  name: string,
  flags: number,
  announcedSize: number | undefined,
): Promise<Answered> {
  const { sftp, files, handles, replies, answers } = session
  handles.assertRoom()
  // ssh2's own flagsToString knows neither WRITE alone (resume in FileZilla) nor WRITE|CREAT (scp, sshfs). APPEND
  // counts as WRITE: clients send the position of each piece, and O_APPEND would ignore it.
  const has = (flag: number) => (flags & flag) !== 0
  const opened = await files.open(absolute(name), {
    session,
    read: has(OPEN_MODE.READ),
    write: has(OPEN_MODE.WRITE) || has(OPEN_MODE.APPEND),
    create: has(OPEN_MODE.CREAT),
    truncate: has(OPEN_MODE.TRUNC),
    exclusive: has(OPEN_MODE.EXCL),
    announcedSize,
  })
  const file = new OrderedFile(opened, replies.room)
  if (answers.isOver()) return await file.close(false)
  const handle = handles.add({ file })
  return () => sftp.handle(id, handle)
}

/** Not queued behind other requests: the open file orders its own writes, and acknowledges them early. */
function writeFile(
  { sftp, handles, answers }: SftpChannel,
  id: number,
  handle: Buffer,
  position: number,
  data: Buffer,
): void {
  answers.now(id, () =>
    handles.file(handle).write(position, data, (failure) => {
      if (failure) answers.refuse(id, failure)
      else if (!answers.isOver()) sftp.status(id, STATUS_CODE.OK)
    }),
  )
}

/** Not queued behind other requests: the open file orders its own reads, and joins adjacent ones. */
function readFile(
  { sftp, handles, answers }: SftpChannel,
  id: number,
  handle: Buffer,
  position: number,
  length: number,
): void {
  answers.now(id, () =>
    handles.file(handle).read(position, length, (data) => {
      if (data instanceof Error) answers.refuse(id, data)
      else if (answers.isOver()) return
      else if (data.length === 0) sftp.status(id, STATUS_CODE.EOF, 'End of file')
      else sftp.data(id, data)
    }),
  )
}

async function closeHandle({ handles }: SftpChannel, handle: Buffer): Promise<void> {
  await handles.remove(handle)?.close(true)
}

async function sendFacts({ sftp }: SftpChannel, id: number, asked: Promise<FileFacts>): Promise<Answered> {
  const facts = await asked
  return () => sftp.attrs(id, attributesOf(facts))
}

async function changeOpenFile(
  { handles }: SftpChannel,
  handle: Buffer,
  wanted: Partial<Attributes>,
): Promise<void> {
  const file = handles.file(handle)
  const changes = changesOf(wanted)
  if (changes) await file.change(changes)
}

async function changePath({ files }: SftpChannel, name: string, wanted: Partial<Attributes>): Promise<void> {
  const changes = changesOf(wanted)
  if (changes) await files.change(absolute(name), changes)
}

async function openFolder(
  { sftp, files, handles }: SftpChannel,
  id: number,
  name: string,
): Promise<Answered> {
  handles.assertRoom()
  const listed = await files.list(absolute(name))
  const handle = handles.add({ left: listed.map((entry) => entryOf(entry.name, entry.facts)) })
  return () => sftp.handle(id, handle)
}

/** The next entries of an open folder, a hundred at a time. */
async function readFolder({ sftp, handles }: SftpChannel, id: number, handle: Buffer): Promise<Answered> {
  const part = handles.folder(handle).splice(0, 100)
  return () => (part.length > 0 ? sftp.name(id, part) : sftp.status(id, STATUS_CODE.EOF, 'End of folder'))
}

async function realPath({ sftp }: SftpChannel, id: number, name: string): Promise<Answered> {
  const filename = absolute(name)
  return () => sftp.name(id, [{ filename, longname: filename, attrs: attributesOf(unknownFacts) }])
}

/** A rename that replaces an existing file, as POSIX does, and the limits of a request. */
async function answerExtension(
  { sftp, files }: SftpChannel,
  id: number,
  { name, data, openFiles }: { name: string; data: Buffer | undefined; openFiles: number },
): Promise<Answered> {
  if (name === limitsExtension) {
    sendLimits(sftp, id, openFiles)
    return () => undefined
  }
  if (name !== 'posix-rename@openssh.com') throw new FileRefusal('unsupported', 'Not supported here.')
  const [from, to] = twoStrings(data)
  await files.rename(absolute(from), absolute(to), { overwrite: true })
}
