/** Days that the URL of a replaced recording redirects to the new one. */
export const movedAudioDays = 30

/** An unreferenced recording is deleted only at this age: a younger one may belong to an upload in progress. */
export const orphanHours = 24
