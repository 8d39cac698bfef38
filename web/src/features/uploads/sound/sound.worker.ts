import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import { measureSound } from '@fellowship/sound/measure/measure-sound'
import { blobBytes } from '@fellowship/sound/read/bytes'
import { recordingSamples } from '@fellowship/sound/read/samples'

export type SoundAnswer =
  | { kind: 'share'; share: number }
  | { kind: 'heard'; faults: readonly SoundFault[] }
  /** The format is not supported here, or the browser cannot compile WebAssembly. */
  | { kind: 'unknown' }

addEventListener('message', ({ data }: MessageEvent<File>) => {
  void answer(data).then(send, () => send({ kind: 'unknown' }))
})

const send = (message: SoundAnswer) => postMessage(message)

async function answer(file: File): Promise<SoundAnswer> {
  let sent = 0
  const onShare = (share: number) => {
    if (share - sent < 0.01) return
    sent = share
    send({ kind: 'share', share })
  }
  const { faults } = await measureSound(recordingSamples(blobBytes(file), onShare))
  return { kind: 'heard', faults }
}
