import { offlineAddress } from '@fellowship/sync/client/saved-audio/audio-address'
import { savedOf } from '../saved/saved.ts'

/**
 * Where the sound of one load comes from. It is decided once and never mixed: answers of the network and of the
 * device within one load stop playback in some browsers.
 *
 * worker: saved, answered by the service worker in exact ranges · blob: saved, for a page without a worker (after a
 * hard reload), or where the worker's way failed · network: not saved
 */
export type SoundSource = 'worker' | 'blob' | 'network'

/** The best source there is, leaving out what has failed already. */
export function chooseSource(audioUrl: string, failed: readonly SoundSource[] = []): SoundSource {
  if (savedOf(audioUrl)?.state !== 'ready') return 'network'
  const controlled = Boolean(navigator.serviceWorker?.controller)
  if (controlled && !failed.includes('worker')) return 'worker'
  return failed.includes('blob') ? 'network' : 'blob'
}

/** The address to play from; undefined where the device does not have all bytes after all. */
export async function blobAddress(audioUrl: string): Promise<string | undefined> {
  const saved = savedOf(audioUrl)
  if (!saved) return undefined
  const { recordingBlob } = await import('@fellowship/sync/client/saved-audio/audio-store')
  const blob = await recordingBlob(saved.key)
  return blob && URL.createObjectURL(blob)
}

export const workerAddress = offlineAddress
