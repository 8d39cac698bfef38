import { backup, type PreparedBackup } from '@fellowship/schema/backup/backup.contract'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { addressOf, call } from '@fellowship/sync/call/call'
import { useMutation, useQuery } from '@tanstack/react-query'
import { fileSize } from '../../lib/file-size.ts'
import { queryClient } from '../../lib/query-client.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { showToast } from '../../ui/toast.ts'

const queryKey = [backup.history.path] as const

/** Past backups; asked again while one is under way. */
export const useBackupHistory = () =>
  useQuery(
    {
      queryKey,
      queryFn: ({ signal }) => call(backup.history, { signal }),
      refetchInterval: ({ state }) =>
        state.data?.backups.some(({ result }) => result === 'running') ? 3_000 : false,
      networkMode: 'always',
    },
    queryClient,
  )

/**
 * Has the server freeze what the backup holds, then hands the download to the browser itself: it writes to the disk
 * while it reads, however many gigabytes there are, and goes on by itself after a cut.
 */
export const useCreateBackup = () =>
  useMutation(
    {
      mutationFn: () => call(backup.prepare),
      onSuccess: (prepared) => {
        download(prepared)
        showToast(backupTexts.started(prepared.files, fileSize(prepared.bytes)))
        void queryClient.invalidateQueries({ queryKey })
      },
      onError: (error) => {
        // The sign-in toast stands for itself and would be replaced at once.
        if (!isUnauthorized(error)) showToast({ ...backupTexts.failed, kind: 'destructive' })
      },
    },
    queryClient,
  )

/** The server's Content-Disposition names the file; `download` is the name where it is missing. */
function download({ id, fileName }: PreparedBackup): void {
  const link = document.createElement('a')
  link.href = addressOf(backup.createManual, { query: { id } })
  link.download = fileName
  document.body.append(link)
  link.click()
  link.remove()
}
