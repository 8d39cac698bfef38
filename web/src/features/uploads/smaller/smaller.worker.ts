import { blobBytes, type RecordingBytes } from '@fellowship/sound/read/bytes'
import { findWavSound, type WavSound } from '@fellowship/sound/read/wav'
import { encodeWav, smallerBytes } from '@fellowship/sound/write/encode-mp3'
import { createEncoder } from 'wasm-media-encoders'
import encoderAddress from 'wasm-media-encoders/wasm/mp3?url'

export interface SmallerRequest {
  kind: 'measure' | 'make'
  file: File
}

export type SmallerAnswer =
  | { kind: 'measured'; bytes: number; seconds: number }
  | { kind: 'share'; share: number }
  | { kind: 'made'; blob: Blob }
  /** The file is not a readable WAV, or the browser cannot compile WebAssembly, or the encoder cannot load offline. */
  | { kind: 'failed' }

addEventListener('message', ({ data }: MessageEvent<SmallerRequest>) => {
  void answer(data).then(send, () => send({ kind: 'failed' }))
})

const send = (message: SmallerAnswer) => postMessage(message)

async function answer({ kind, file }: SmallerRequest): Promise<SmallerAnswer> {
  const recording = blobBytes(file)
  const wav = await findWavSound(recording)
  if (!wav) return { kind: 'failed' }
  const encoder = await createEncoder('audio/mpeg', await (await fetch(encoderAddress)).arrayBuffer())
  if (kind === 'measure')
    return { kind: 'measured', bytes: smallerBytes(wav), seconds: await time(recording, wav) }
  const parts = await encodeWav(recording, wav, encoder, (share) => send({ kind: 'share', share }))
  return { kind: 'made', blob: new Blob(parts, { type: 'audio/mpeg' }) }

  /** Seconds for the whole file, estimated when a short part of its middle was encoded. */
  async function time(whole: RecordingBytes, wav: WavSound): Promise<number> {
    const { format, start, end, seconds } = wav
    const frame = format.channels * format.bytesPerSample
    const bytes = Math.min(sampleSeconds * format.sampleRate * frame, end - start)
    const from = start + Math.floor((end - start - bytes) / 2 / frame) * frame
    const part = { ...wav, start: from, end: from + bytes, seconds: Math.min(sampleSeconds, seconds) }
    const began = performance.now()
    await encodeWav(whole, part, encoder, () => {})
    return ((performance.now() - began) / 1000) * (seconds / part.seconds)
  }
}

const sampleSeconds = 10
