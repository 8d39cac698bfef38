import type { Context } from '../../context.ts'
import type { DropFolder } from './drop-folder.ts'
import { advanceCurrentUpload, setCurrentUpload } from './sftp.sql.ts'

/** Records the file that is arriving; a record that an administrator cleared stays cleared until the next file. */
export function uploadRecorder({ sql }: Context, folder: DropFolder): () => Promise<void> {
  let recorded: number | undefined
  return async () => {
    const [writer] = folder.writers()
    if (!writer) {
      if (recorded !== undefined) await setCurrentUpload(sql, null)
      recorded = undefined
      return
    }
    const upload = {
      filename: writer.path.split('/').at(-1)!,
      size: writer.size(),
      startTime: writer.startedAt,
    }
    if (recorded === writer.startedAt) await advanceCurrentUpload(sql, upload)
    else await setCurrentUpload(sql, upload)
    recorded = writer.startedAt
  }
}
