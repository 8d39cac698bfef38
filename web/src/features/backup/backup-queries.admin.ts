import { backup, type PreparedBackup } from '@fellowship/schema/backup/backup.contract'
import { backupTexts } from '@fellowship/schema/backup/backup.texts'
import { addressOf, call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { fileSize } from '../../lib/file-size.ts'

/** Past backups; polled while one is running. */
export const useBackupHistory = adminQuery(backup.history, {
  pollMs: (history) => (history?.backups.some(({ result }) => result === 'running') ? 3_000 : false),
})

/**
 * The server freezes the contents of the backup; the download is the browser's own, which streams gigabytes to the disk and
 * resumes after a lost connection.
 */
export const useCreateBackup = adminMutation({
  call: () => call(backup.prepare),
  onSuccess: download,
  success: ({ files, bytes }) => backupTexts.started(files, fileSize(bytes)),
  failure: backupTexts.failed.title,
  describe: () => backupTexts.failed.description,
  invalidates: [backup.history],
})

/** The server's Content-Disposition names the file; `download` is the name if that header is missing. */
function download({ id, fileName }: PreparedBackup): void {
  const link = document.createElement('a')
  link.href = addressOf(backup.createManual, { query: { id } })
  link.download = fileName
  document.body.append(link)
  link.click()
  link.remove()
}
