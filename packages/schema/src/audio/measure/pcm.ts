/** Consecutive samples of a recording, -1 to 1, one array per channel (at most two). */
export interface PcmChunk {
  readonly sampleRate: number
  readonly channels: readonly Float32Array[]
}

/** A recording that cannot be decoded, in a sentence for people. */
export class UnreadableSound extends Error {}
