import { keyLock } from './key-lock.ts'

/**
 * By the hash of a recording: whoever puts its file into place, or takes it away, does so alone. Two that bring the same
 * bytes settle the same file, and a cleaning must not take it from under a newcomer.
 */
export const recordingLock = keyLock()
