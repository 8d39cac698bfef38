import { soundAddress } from '@fellowship/schema/copies/copies.limits'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'

const cacheName = 'sounds'

/** Waveform and silences of a recording: from the cache if they are there, else from the server, which fills the cache. */
export async function readSound(address: string): Promise<unknown> {
  const cache = await openCache()
  const kept = await cache?.match(address)
  if (kept) return kept.json()
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${response.status}`)
  await cache?.put(address, response.clone()).catch(() => undefined)
  return response.json()
}

/** Caches the waveforms and silences of saved recordings for use offline. */
export async function keepSounds(teachings: readonly ListedTeaching[]): Promise<void> {
  for (const { audioUrl, loudness } of teachings) {
    const address = audioUrl && typeof loudness === 'number' ? soundAddress(audioUrl) : undefined
    if (address) await readSound(address).catch(() => undefined)
  }
}

/** Undefined if the browser blocks storage. */
const openCache = (): Promise<Cache | undefined> =>
  'caches' in window ? caches.open(cacheName).catch(() => undefined) : Promise.resolve(undefined)
