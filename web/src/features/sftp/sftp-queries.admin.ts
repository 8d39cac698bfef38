import { cleanUp } from '@fellowship/schema/sftp/sftp.limits'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { sftpTexts as texts } from '@fellowship/schema/sftp/sftp.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError, NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { sftpStatusPollMs } from '../../ui/timings.ts'

export const useSftpStatus = adminQuery(sftp.status, { pollMs: sftpStatusPollMs })
export const useSftpMonitor = adminQuery(sftp.monitor, { pollMs: sftpStatusPollMs })

/** Creates a mutation hook whose answer holds the sentence for the toast; all cards are refreshed afterwards. */
const sftpMutation = <Input = void>(
  change: (input: Input) => Promise<{ message: string }>,
  failure: string,
) =>
  adminMutation({
    call: change,
    success: ({ message }) => ({ title: message }),
    failure,
    describe: sentenceOfFailure,
    invalidates: [sftp.status, sftp.monitor],
    pendingUntilRefreshed: true,
  })

export const useStartSftp = sftpMutation(() => call(sftp.start), texts.startFailed)
export const useStopSftp = sftpMutation(() => call(sftp.stop), texts.stopFailed)
export const useClearUpload = sftpMutation(() => call(sftp.clearUpload), texts.clearUploadFailed)

export const useChangePassword = sftpMutation(
  (newPassword: string) => call(sftp.changePassword, { body: { newPassword } }),
  texts.passwordChangeFailed,
)

/** 'Clean Old (1h+)'. */
export const useCleanOld = sftpMutation(
  () => call(sftp.cleanup, { body: { ...cleanUp, directories: [...cleanUp.directories] } }),
  texts.cleanFailed,
)

export const useUnban = sftpMutation(
  (address: string) => call(sftp.unban, { body: { address } }),
  texts.unbanFailed,
)

/** The password, requested by a click: the server logs each request. */
export const useShowPassword = adminMutation({
  call: () => call(sftp.credentials).then(({ password }) => password),
  failure: texts.passwordFetchFailed,
  describe: sentenceOfFailure,
})

/** The message of a failed status call, with the server's own sentence if it sent one. */
export const statusFailure = (error: unknown): string =>
  error instanceof CallError ? `${texts.statusFailed}: ${error.sentence}` : texts.statusFailed

function sentenceOfFailure(error: Error): string {
  return error instanceof NetworkError ? texts.networkError : sentenceOfError(error)
}
