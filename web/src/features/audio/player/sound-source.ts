import { offlineAddress } from '@fellowship/sync/client/saved-audio/audio-address'
import { savedOf } from '../saved/saved.ts'

/**
 * The source of one load. Chosen once per load and never mixed: in some browsers playback stops when one load gets both
 * network and cached responses.
 *
 * worker: saved, served by the service worker in exact ranges · blob: saved, for a page without a worker (after a
 * hard reload), or if the worker failed · network: not saved
 */
export type SoundSource = 'worker' | 'blob' | 'network'

/** The sources of the recording that are available now, best first; the network comes last. */
export function availableSources(audioUrl: string): readonly SoundSource[] {
  if (savedOf(audioUrl)?.state !== 'ready') return ['network']
  return navigator.serviceWorker?.controller ? ['worker', 'blob', 'network'] : ['blob', 'network']
}

/** The first source that has not failed; the network if all have. */
export const bestSource = (
  sources: readonly SoundSource[],
  failed: readonly SoundSource[] = [],
): SoundSource => sources.find((source) => !failed.includes(source)) ?? 'network'

/** The object URL of a saved recording; undefined if some of its bytes are missing. */
export async function blobAddress(audioUrl: string): Promise<string | undefined> {
  const saved = savedOf(audioUrl)
  if (!saved) return undefined
  const { recordingBlob } = await import('@fellowship/sync/client/saved-audio/audio-store')
  const blob = await recordingBlob(saved.key)
  return blob && URL.createObjectURL(blob)
}

export const workerAddress = offlineAddress
