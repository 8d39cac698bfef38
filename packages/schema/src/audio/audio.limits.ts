/** How long the address of a replaced recording leads on to the new one. */
export const movedAudioDays = 30
