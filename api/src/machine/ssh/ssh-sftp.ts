import type { Socket } from 'node:net'
import type { SFTPWrapper } from 'ssh2'
import { FileRefusal, type ServedFiles } from './ssh-files.ts'
import { batchReplies } from './ssh-replies.ts'
import { refusalFor, sftpAnswers } from './ssh-sftp-answers.ts'
import { openHandles, type HandleRoom } from './ssh-sftp-handles.ts'
import {
  answerExtension,
  changeOpenFile,
  changePath,
  closeHandle,
  openFile,
  openFolder,
  readFile,
  readFolder,
  realPath,
  statOpenFile,
  statPath,
  writeFile,
  type SftpChannel,
} from './ssh-sftp-handlers.ts'
import { announceLimits } from './ssh-sftp-limits.ts'
import { absolute } from './ssh-sftp-values.ts'

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
  const handles = openHandles(openFiles, room)
  const answers = sftpAnswers(sftp, { onFault, onRequest })
  const session: SftpChannel = { sftp, files, handles, replies, answers }
  const { answer } = answers

  sftp.on('OPEN', (id, name, flags, { size }) => answer(id, () => openFile(session, id, name, flags, size)))
  sftp.on('WRITE', (id, handle, position, data) => writeFile(session, id, handle, position, data))
  sftp.on('READ', (id, handle, position, length) => readFile(session, id, handle, position, length))
  sftp.on('CLOSE', (id, handle) => answer(id, () => closeHandle(session, handle)))
  sftp.on('FSTAT', (id, handle) => answer(id, () => statOpenFile(session, id, handle)))
  sftp.on('FSETSTAT', (id, handle, wanted) => answer(id, () => changeOpenFile(session, handle, wanted)))
  sftp.on('STAT', (id, name) => answer(id, () => statPath(session, id, name)))
  sftp.on('LSTAT', (id, name) => answer(id, () => statPath(session, id, name)))
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

/** Closes what is open when the client ends the session or its connection breaks. */
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
