import ssh2, { type Attributes, type SFTPWrapper } from 'ssh2'
import { FileRefusal, type ServedFiles } from './ssh-files.ts'
import { OrderedFile } from './ssh-open-file.ts'
import type { Replies } from './ssh-replies.ts'
import type { Answered, SftpAnswers } from './ssh-sftp-answers.ts'
import type { OpenHandles } from './ssh-sftp-handles.ts'
import { limitsExtension, sendLimits } from './ssh-sftp-limits.ts'
import { absolute, attributesOf, changesOf, entryOf, twoStrings, unknownFacts } from './ssh-sftp-values.ts'

const { OPEN_MODE, STATUS_CODE } = ssh2.utils.sftp

/** One client's SFTP session. */
export interface SftpChannel {
  readonly sftp: SFTPWrapper
  readonly files: ServedFiles
  readonly handles: OpenHandles
  readonly replies: Replies
  readonly answers: SftpAnswers
}

export async function openFile(
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
export function writeFile(
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
export function readFile(
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

export async function closeHandle({ handles }: SftpChannel, handle: Buffer): Promise<void> {
  await handles.remove(handle)?.close(true)
}

export async function statOpenFile(
  { sftp, handles }: SftpChannel,
  id: number,
  handle: Buffer,
): Promise<Answered> {
  const facts = await handles.file(handle).facts()
  return () => sftp.attrs(id, attributesOf(facts))
}

export async function changeOpenFile(
  { handles }: SftpChannel,
  handle: Buffer,
  wanted: Partial<Attributes>,
): Promise<void> {
  const file = handles.file(handle)
  const changes = changesOf(wanted)
  if (changes) await file.change(changes)
}

export async function statPath({ sftp, files }: SftpChannel, id: number, name: string): Promise<Answered> {
  const facts = await files.facts(absolute(name))
  return () => sftp.attrs(id, attributesOf(facts))
}

export async function changePath(
  { files }: SftpChannel,
  name: string,
  wanted: Partial<Attributes>,
): Promise<void> {
  const changes = changesOf(wanted)
  if (changes) await files.change(absolute(name), changes)
}

export async function openFolder(
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
export async function readFolder(
  { sftp, handles }: SftpChannel,
  id: number,
  handle: Buffer,
): Promise<Answered> {
  const part = handles.folder(handle).splice(0, 100)
  return () => (part.length > 0 ? sftp.name(id, part) : sftp.status(id, STATUS_CODE.EOF, 'End of folder'))
}

export async function realPath({ sftp }: SftpChannel, id: number, name: string): Promise<Answered> {
  const filename = absolute(name)
  return () => sftp.name(id, [{ filename, longname: filename, attrs: attributesOf(unknownFacts) }])
}

/** A rename that replaces an existing file, as POSIX does, and the limits of a request. */
export async function answerExtension(
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
