/** SPEC §9: upload file, max 100MB; .mp3, .wav, .m4a. */
export const maxUploadBytes = 100 * 1024 * 1024
export const audioExtensions = ['mp3', 'wav', 'm4a'] as const
export type AudioExtension = (typeof audioExtensions)[number]
/** What browsers are told for each. `audio/mp4` plays where `audio/x-m4a` does not (FACTS 2.1 keeps the latter for the feed). */
export const audioMime: Record<AudioExtension, string> = {
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
}
/** SPEC §9: five minutes without one acknowledged byte. */
export const uploadTimeoutMs = 300_000
/** A file name as it arrives; longer ones are refused before they are parsed. */
export const maxFileNameLength = 500
/** Resumable uploads one person may have open at a time. */
export const maxOpenUploads = 3
/** Files from other apps that may wait on a device for a person's look at them. */
export const maxSharedFiles = 20
/** An upload that nobody goes on with is given up after so many days; one that is whole, but waits for its words, later. */
export const idleUploadDays = 7
export const unfinalizedUploadDays = 30
