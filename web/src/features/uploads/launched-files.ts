import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { takeShared } from '@fellowship/sync/client/uploads/upload-shared'
import { copyToDevice } from './copy-file.ts'
import { toastSharedOutcome } from './shared-outcome.ts'

/** Launch parameters of the installed app (WICG Web App Launch Handler); not in every browser. */
interface LaunchParams {
  readonly targetURL?: string
  readonly files?: readonly { getFile(): Promise<File> }[]
}
interface LaunchQueue {
  setConsumer(consumer: (params: LaunchParams) => void): void
}

/**
 * Queues files that are opened with the installed app. A later launch reuses the open window, so its target URL is passed
 * to `goTo`.
 */
export function receiveLaunches(queue: LaunchQueue, goTo: (address: string) => void): void {
  let isFirst = true
  queue.setConsumer(({ targetURL, files = [] }) => {
    // The first launch opened this page, which has the right address already.
    if (!isFirst && targetURL) goTo(targetURL.replace(location.origin, ''))
    isFirst = false
    if (files.length > 0) void take(files)
  })
}

async function take(handles: NonNullable<LaunchParams['files']>): Promise<void> {
  const files = await Promise.all(handles.map((handle) => handle.getFile()))
  const owner = await appDatabase()
    .signedInUser()
    .catch(() => undefined)
  toastSharedOutcome(await takeShared(uploadDatabase(), files, owner ?? null, copyToDevice))
}
