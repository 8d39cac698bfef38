import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import { measureSound } from '@fellowship/sound/measure/measure-sound'
import { blobBytes } from '@fellowship/sound/read/bytes'
import { recordingSamples } from '@fellowship/sound/read/samples'

export type SoundAnswer =
  | { kind: 'share'; share: number }
  | { kind: 'heard'; faults: readonly SoundFault[] }
  /** It is no recording that is read here, or this browser compiles no WebAssembly. */
  | { kind: 'unknown' }

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
