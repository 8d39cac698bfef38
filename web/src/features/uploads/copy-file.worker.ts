import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { copyFile, type CopyRequest } from './copy-request.ts'

const db = new UploadDatabase()

addEventListener('message', ({ data }: MessageEvent<CopyRequest>) => {
  void copyFile(db, data).then((answer) => postMessage(answer))
})
