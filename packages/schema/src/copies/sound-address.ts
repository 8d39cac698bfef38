/** The address of a recording's sound file; undefined if `audioUrl` is not the address of a recording. */
export function soundAddress(audioUrl: string): string | undefined {
  const sha256 = /^\/audio\/([0-9a-f]{64})\.\w+$/.exec(audioUrl)?.[1]
  return sha256 && `/audio/${sha256}.sound.json`
}
