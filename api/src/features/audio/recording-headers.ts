import { contentDisposition, downloadName } from '@fellowship/schema/teachings/download-name'
import type { AudioExtension } from '@fellowship/schema/uploads/uploads.limits'
import type { LiveRecording } from './audio.ts'

/**
 * The type of a recording, how long it may be kept, and under which name a download is saved.
 *
 * @param isWhole a damaged file must not be kept: the same recording, sent again, comes to its address
 */
export function recordingHeaders(
  recording: LiveRecording,
  extension: AudioExtension,
  { download, isWhole = true }: { download: boolean; isWhole?: boolean },
): Record<string, string> {
  return {
    'content-type': recording.mime,
    'cache-control': !isWhole ? 'no-store' : download ? renewed : immutable,
    ...(download && { 'content-disposition': contentDisposition(downloadName(recording, extension)) }),
  }
}

/** For bytes whose address is their hash. */
export const immutable = 'public, max-age=31536000, immutable, no-transform'

/** For bytes that change with the words of the teaching. */
const renewed = 'public, no-cache, no-transform'
