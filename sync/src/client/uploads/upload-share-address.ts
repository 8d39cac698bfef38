/** The address to which the system posts files that are shared with the installed app, and their field. */
export const uploadFromShare = { path: '/share', field: 'audioFile' } as const

/** The reasons for not accepting a shared recording, passed to the page in the address of the library. */
export const sharedOutcomes = ['no-audio', 'too-large', 'not-kept', 'too-many', 'no-room'] as const
export type SharedOutcome = (typeof sharedOutcomes)[number]
