/** Largest recording, in the megabytes of sentences and in bytes, and accepted extensions. */
export const maxUploadMegabytes = 100
export const maxUploadBytes = maxUploadMegabytes * 1024 * 1024
export const audioExtensions = ['mp3', 'wav', 'm4a'] as const
export type AudioExtension = (typeof audioExtensions)[number]
/** Endings of names that a recording may have; its bytes decide what it is. */
export const recordingEndings = [
  ...audioExtensions,
  'aac',
  'adts',
  'm4b',
  'f4a',
  'mp4',
  'mov',
  'qt',
  '3gp',
  '3gpp',
  '3g2',
  'mka',
  'wave',
  'bwf',
  'rf64',
  'bw64',
] as const
/** Content types of recordings. The feed uses `audio/x-m4a`, but browsers play `audio/mp4`. */
export const audioMime: Record<AudioExtension, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
}
/** Five minutes without an acknowledged byte. */
export const uploadTimeoutMs = 300_000
/** Characters of a received file name; longer ones are refused before parsing. */
export const maxFileNameLength = 500
/** Resumable uploads per user that have not arrived completely. */
export const maxOpenUploads = 3
/** Disk space that uploads never use: the database is on the same disk. */
export const reservedDiskBytes = 64 * 1024 * 1024
/** Uploads by form per user at once, and resumable ones that a user may begin. */
export const maxFormUploads = 8
export const uploadsBegun = { attempts: 300, perMinutes: 60 } as const
/** Files shared from other apps that may wait on a device for confirmation. */
export const maxSharedFiles = 20
/** Days until an incomplete upload without progress is removed, and a complete one that was never published. */
export const idleUploadDays = 7
export const unfinalizedUploadDays = 30
