/** Days that the URL of a replaced recording redirects to the new one. */
export const movedAudioDays = 30

/** How often a walk compares stored recordings with their hashes, and which share of the library each time. */
export const recordingWalk = { everyDays: 7, share: 0.25 } as const

/** An unreferenced recording is deleted only at this age: a younger one may belong to an upload in progress. */
export const orphanHours = 24

/** The most that a device holds of recordings that were played and not saved; those heard longest ago go first. */
export const aheadBudgetBytes = 100 * 1000 * 1000
