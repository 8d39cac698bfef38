/** How long the address of a replaced recording leads on to the new one. */
export const movedAudioDays = 30

/** A recording that nothing refers to is deleted only once it is this old: it may belong to work that is under way. */
export const orphanHours = 24
