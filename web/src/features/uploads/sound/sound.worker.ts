import { measureSound } from '@fellowship/sound/measure/measure-sound'
import { blobBytes } from '@fellowship/sound/read/bytes'
import { recordingSamples } from '@fellowship/sound/read/samples'
import type { SoundAnswer } from './sound-messages.ts'

addEventListener('message', ({ data }: MessageEvent<File>) => {
  void answer(data).then(tell, () => tell({ kind: 'unknown' }))
})

const tell = (message: SoundAnswer) => postMessage(message)

async function answer(file: File): Promise<SoundAnswer> {
  let told = 0
  const onShare = (share: number) => {
    if (share - told < 0.01) return
    told = share
    tell({ kind: 'share', share })
  }
  const { faults } = await measureSound(recordingSamples(blobBytes(file), onShare))
  return { kind: 'heard', faults }
}
