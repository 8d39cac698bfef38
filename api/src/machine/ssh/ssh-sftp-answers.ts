import ssh2, { type SFTPWrapper } from 'ssh2'
import { FileRefusal } from './ssh-files.ts'

const { STATUS_CODE } = ssh2.utils.sftp

/** Sends the answer; without one, the request is answered with OK. */
export type Answered = (() => void) | void

export interface SftpAnswers {
  /**
   * Runs the work of a request and answers it. Requests run in the order they came: sshfs requests a file's attributes
   * right after the request that creates it, without waiting.
   */
  answer: (id: number, work: () => Promise<Answered>) => void
  /** Runs work that answers by itself, at once; what it throws is the refusal. */
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

/** The answer to a request that is refused; undefined where the error is a fault of the server. */
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
