/** The share of a recording's bytes that its small copy must save. */
export const copyMinimumSaving = 1 / 3

/** Tries until a recording counts as impossible to copy, and minutes between two of them. */
export const copyTries = { most: 4, minutesBetween: 60 } as const

/** Silences that are kept of one recording, the longest ones; with the waveform they stay below 2 kB. */
export const mostSilences = 100

/** Seconds of silence at an end of a recording that count as a fault, and seconds that stay when the silence is cut off. */
export const silentEnds = { fault: 10, kept: 1 } as const

/** The address of a recording's sound file; undefined if `audioUrl` is not the address of a recording. */
export function soundAddress(audioUrl: string): string | undefined {
  const sha256 = /^\/audio\/([0-9a-f]{64})\.\w+$/.exec(audioUrl)?.[1]
  return sha256 && `/audio/${sha256}.sound.json`
}
