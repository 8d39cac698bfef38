import type { SoundFault } from '@fellowship/schema/copies/copies.contract'
import type { SoundAnswer } from './sound-messages.ts'

/**
 * What is wrong with how a recording sounds, found in a worker; one recording at a time, in the order of the calls.
 *
 * @param onShare told how much is heard, from 0 to 1
 * @returns undefined where it cannot be told here, or `signal` was aborted
 */
export function checkSound(
  file: File,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<readonly SoundFault[] | undefined> {
  const checked = before.then(() => (signal.aborted ? undefined : ask(file, signal, onShare)))
  before = checked
  return checked
}

/** Never rejects. */
let before: Promise<unknown> = Promise.resolve()

function ask(
  file: File,
  signal: AbortSignal,
  onShare: (share: number) => void,
): Promise<readonly SoundFault[] | undefined> {
  const worker = new Worker(new URL('./sound.worker.ts', import.meta.url), { type: 'module' })
  return new Promise<readonly SoundFault[] | undefined>((resolve) => {
    const fail = () => resolve(undefined)
    worker.addEventListener('message', ({ data }: MessageEvent<SoundAnswer>) => {
      if (data.kind === 'share') onShare(data.share)
      else resolve(data.kind === 'heard' ? data.faults : undefined)
    })
    worker.addEventListener('error', fail)
    signal.addEventListener('abort', fail)
    worker.postMessage(file)
  }).finally(() => worker.terminate())
}
