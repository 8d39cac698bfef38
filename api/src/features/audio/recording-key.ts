/**
 * The key of the lock for placing or removing the file of a recording: two uploads of the same bytes settle the same file,
 * and a cleanup must not remove it while an upload is about to refer to it.
 */
export const recordingKey = (sha256: string): string => `recording ${sha256}`
