import { soundAddress } from '@fellowship/schema/copies/copies.limits'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'

const cacheName = 'sounds'

/** Waveform and silences of a recording: from the cache if they are there, else from the server, which fills the cache. */
export async function readSound(address: string): Promise<unknown> {
  const cache = await openCache()
  const kept = await cache?.match(address)
  const sound: unknown = await kept?.json().catch(() => undefined)
  if (sound) return sound
  const response = await fetch(address)
  if (!response.ok) throw new Error(`${response.status}`)
  const copy = cache && response.clone()
  // A portal answers with a page of its own: nothing is cached before it is read.
  const read: unknown = await response.json()
  if (cache && copy) await cache.put(address, copy).catch(() => undefined)
  return read
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
