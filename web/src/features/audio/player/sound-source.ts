import { offlineAddress } from '@fellowship/sync/client/saved-audio/audio-address'
import { fetchesAhead } from '../data-choices.ts'
import { wholeOf } from '../saved/saved.ts'

/**
 * The source of one load. Chosen once per load and never mixed: in some browsers playback stops when one load gets both
 * network and cached responses.
 *
 * worker: whole on this device, served by the service worker in exact ranges · blob: the same for a page without a worker
 * (after a hard reload), or if the worker failed · ahead: the worker serves what is here, and fetches the rest · network: from
 * the server
 */
export type SoundSource = 'worker' | 'blob' | 'ahead' | 'network'

/** Whether every byte comes from this device. */
export const isOnDevice = (source: SoundSource): boolean => source === 'worker' || source === 'blob'

/** The sources of the recording that are available now, best first; the network comes last. */
export function availableSources(audioUrl: string): readonly SoundSource[] {
  const isServed = navigator.serviceWorker?.controller
  if (wholeOf(audioUrl)) return isServed ? ['worker', 'blob', 'network'] : ['blob', 'network']
  return isServed && fetchesAhead() ? ['ahead', 'network'] : ['network']
}

/** The first source that has not failed; the network if all have. */
export const bestSource = (
  sources: readonly SoundSource[],
  failed: readonly SoundSource[] = [],
): SoundSource => sources.find((source) => !failed.includes(source)) ?? 'network'

/** The object URL of a saved recording; undefined if some of its bytes are missing. */
export async function blobAddress(audioUrl: string): Promise<string | undefined> {
  const saved = wholeOf(audioUrl)
  if (!saved) return undefined
  const { recordingBlob } = await import('@fellowship/sync/client/saved-audio/audio-store')
  const blob = await recordingBlob(saved.key)
  return blob && URL.createObjectURL(blob)
}

export const workerAddress = offlineAddress
