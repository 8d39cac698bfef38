/** The loudness that teachings are played at, in LUFS: that of small copies, which are heard from two speakers. */
const wanted = -16

/**
 * The element's volume, 0 to 1, at which a recording is as loud as the others. It can only be turned down, and iOS leaves
 * that to the device's own keys.
 *
 * @param loudness in LUFS; null if it was not measured
 */
export const evenVolume = (loudness: number | null | undefined): number =>
  typeof loudness === 'number' ? Math.min(1, 10 ** ((wanted - loudness) / 20)) : 1
