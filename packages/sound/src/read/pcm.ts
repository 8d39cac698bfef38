/** Consecutive samples of a recording, -1 to 1, one array per channel (at most two). */
export interface PcmChunk {
  readonly sampleRate: number
  readonly channels: readonly Float32Array[]
}

/** A recording that cannot be decoded, in a sentence for people. */
export class UnreadableSound extends Error {}

/** A recording that was put together from parts of different sample rates has no single one to measure and copy by. */
export async function* oneRate(chunks: AsyncIterable<PcmChunk>): AsyncGenerator<PcmChunk> {
  let rate: number | undefined
  for await (const chunk of chunks) {
    rate ??= chunk.sampleRate
    if (chunk.sampleRate !== rate) {
      throw new UnreadableSound(
        `The sample rate changes from ${rate} to ${chunk.sampleRate} Hz within the recording.`,
      )
    }
    yield chunk
  }
  if (rate === undefined) throw new UnreadableSound('There is no sound in it.')
}
