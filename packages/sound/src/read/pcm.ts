/** Consecutive samples of a recording, -1 to 1, one array per channel (at most two). */
export interface PcmChunk {
  readonly sampleRate: number
  readonly channels: readonly Float32Array[]
}

/** Thrown with a readable sentence if a recording cannot be decoded. */
export class UnreadableSound extends Error {}

/** Throws if the sample rate changes: a recording joined from different rates cannot be measured or copied. */
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
