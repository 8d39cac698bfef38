import { cleanUp } from '@fellowship/schema/sftp/sftp.limits'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { sftpTexts as texts } from '@fellowship/schema/sftp/sftp.texts'
import { call } from '@fellowship/sync/call/call'
import { CallError, NetworkError, sentenceOfError } from '@fellowship/sync/call/call-error'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { sftpStatusPollMs } from '../../ui/timings.ts'
import { showToast } from '../../ui/toast.ts'

const statusKey = [sftp.status.path] as const
const monitorKey = [sftp.monitor.path] as const

/** SPEC §9: status polled every 10 s. */
export const useSftpStatus = () =>
  useQuery(
    {
      queryKey: statusKey,
      queryFn: ({ signal }) => call(sftp.status, { signal }),
      refetchInterval: sftpStatusPollMs,
      networkMode: 'always',
    },
    queryClient,
  )

export const useSftpMonitor = () =>
  useQuery(
    {
      queryKey: monitorKey,
      queryFn: ({ signal }) => call(sftp.monitor, { signal }),
      refetchInterval: sftpStatusPollMs,
      networkMode: 'always',
    },
    queryClient,
  )

export const useStartSftp = () => useChange(() => call(sftp.start), texts.startFailed)
export const useStopSftp = () => useChange(() => call(sftp.stop), texts.stopFailed)
export const useClearUpload = () => useChange(() => call(sftp.clearUpload), texts.clearUploadFailed)

/** The password, asked for by a person: the server notes that it was shown. */
export const useShowPassword = () =>
  useMutation(
    {
      mutationFn: () => call(sftp.credentials).then(({ password }) => password),
      onError: (error) => failed(texts.passwordFetchFailed, error),
    },
    queryClient,
  )

export const useChangePassword = () =>
  useChange(
    (newPassword: string) => call(sftp.changePassword, { body: { newPassword } }),
    texts.passwordChangeFailed,
  )

/** SPEC §9 'Clean Old (1h+)'. */
export const useCleanOld = () =>
  useChange(
    () => call(sftp.cleanup, { body: { ...cleanUp, directories: [...cleanUp.directories] } }),
    texts.cleanFailed,
  )

export const useUnban = () =>
  useChange((address: string) => call(sftp.unban, { body: { address } }), texts.unbanFailed)

/** A change whose answer says in a sentence what was done; all cards look again afterwards. */
function useChange<Input = void>(change: (input: Input) => Promise<{ message: string }>, failure: string) {
  return useMutation(
    {
      mutationFn: change,
      onSuccess: ({ message }) => showToast({ title: message }),
      onError: (error) => failed(failure, error),
      onSettled: () =>
        Promise.all([
          queryClient.invalidateQueries({ queryKey: statusKey }),
          queryClient.invalidateQueries({ queryKey: monitorKey }),
        ]),
    },
    queryClient,
  )
}

function failed(title: string, error: unknown): void {
  // The sign-in toast stands for itself and would be replaced at once.
  if (isUnauthorized(error)) return
  const description = error instanceof NetworkError ? texts.networkError : sentenceOfError(error)
  showToast({ title, description, kind: 'destructive' })
}

/** What a failed status call is told as: SPEC's sentence, with the server's own where it gave one. */
export const statusFailure = (error: unknown): string =>
  error instanceof CallError ? `${texts.statusFailed}: ${error.sentence}` : texts.statusFailed
