import { offlineAddress } from '@fellowship/sync/client/saved-audio/audio-address'
import { savedOf } from '../saved/saved.ts'

/**
 * Where the sound of one load comes from. Decided once per load and never mixed: in some browsers playback stops when
 * one load gets both network and cached responses.
 *
 * worker: saved, served by the service worker in exact ranges · blob: saved, for a page without a worker (after a
 * hard reload), or where the worker failed · network: not saved
 */
export type SoundSource = 'worker' | 'blob' | 'network'

/** Where the recording can be played from at this moment, best first; the network comes last. */
export function availableSources(audioUrl: string): readonly SoundSource[] {
  if (savedOf(audioUrl)?.state !== 'ready') return ['network']
  return navigator.serviceWorker?.controller ? ['worker', 'blob', 'network'] : ['blob', 'network']
}

/** The first source that has not failed; the network where all have. */
export const bestSource = (
  sources: readonly SoundSource[],
  failed: readonly SoundSource[] = [],
): SoundSource => sources.find((source) => !failed.includes(source)) ?? 'network'

/** The object URL of a saved recording; undefined where some of its bytes are missing. */
export async function blobAddress(audioUrl: string): Promise<string | undefined> {
  const saved = savedOf(audioUrl)
  if (!saved) return undefined
  const { recordingBlob } = await import('@fellowship/sync/client/saved-audio/audio-store')
  const blob = await recordingBlob(saved.key)
  return blob && URL.createObjectURL(blob)
}

export const workerAddress = offlineAddress
