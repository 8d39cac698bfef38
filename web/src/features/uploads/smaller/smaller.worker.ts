import { createEncoder } from 'wasm-media-encoders'
import encoderAddress from 'wasm-media-encoders/wasm/mp3?url'
import { encodeWav, smallerBytes } from './encode-wav.ts'
import type { SmallerAnswer, SmallerRequest } from './smaller-messages.ts'
import { readWavFile, type WavFile } from './wav-file.ts'

addEventListener('message', ({ data }: MessageEvent<SmallerRequest>) => {
  void answer(data).then(tell, () => tell({ kind: 'failed' }))
})

const tell = (message: SmallerAnswer) => postMessage(message)

async function answer({ kind, file }: SmallerRequest): Promise<SmallerAnswer> {
  const wav = await readWavFile(file)
  if (!wav) return { kind: 'failed' }
  const encoder = await createEncoder('audio/mpeg', await (await fetch(encoderAddress)).arrayBuffer())
  if (kind === 'measure')
    return { kind: 'measured', bytes: smallerBytes(wav), seconds: await time(file, wav) }
  return {
    kind: 'made',
    blob: await encodeWav(file, wav, encoder, (share) => tell({ kind: 'share', share })),
  }

  /** Seconds for the whole, by those for a little of its middle. */
  async function time(whole: Blob, { format, start, end, seconds }: WavFile): Promise<number> {
    const frame = format.channels * format.bytesPerSample
    const bytes = Math.min(sampleSeconds * format.sampleRate * frame, end - start)
    const from = start + Math.floor((end - start - bytes) / 2 / frame) * frame
    const part = { format, start: from, end: from + bytes, seconds: Math.min(sampleSeconds, seconds) }
    const began = performance.now()
    await encodeWav(whole, part, encoder, () => {})
    return ((performance.now() - began) / 1000) * (seconds / part.seconds)
  }
}

const sampleSeconds = 10
