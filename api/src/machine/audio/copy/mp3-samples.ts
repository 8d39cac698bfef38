import { closeSync, openSync } from 'node:fs'
import { MPEGDecoder } from 'mpg123-decoder'
import { fileWindow } from '../file-window.ts'
import { isMonoMp3 } from '../mp3-frames.ts'
import { type PcmChunk } from '@fellowship/schema/audio/measure/pcm'

export async function* mp3Samples(path: string, bytes: AsyncIterable<Buffer>): AsyncGenerator<PcmChunk> {
  const channels = isMono(path) ? 1 : 2
  const decoder = new MPEGDecoder()
  await decoder.ready
  try {
    for await (const piece of bytes) {
      const { channelData, samplesDecoded, sampleRate } = decoder.decode(piece)
      if (samplesDecoded > 0) yield { sampleRate, channels: channelData.slice(0, channels) }
    }
  } finally {
    decoder.free()
  }
}

function isMono(path: string): boolean {
  const file = openSync(path, 'r')
  try {
    return isMonoMp3(fileWindow(file))
  } finally {
    closeSync(file)
  }
}
