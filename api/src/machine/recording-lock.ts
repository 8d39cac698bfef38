import { keyLock } from './key-lock.ts'

/**
 * A lock per recording (by hash) for placing or removing its file: two uploads of the same bytes settle the same file, and a
 * cleanup must not remove it while an upload is about to refer to it.
 */
export const recordingLock = keyLock()
