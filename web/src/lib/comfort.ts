import { useSyncExternalStore } from 'react'
import { makeStore, useStore } from './lazy-store.ts'
import { readStored, store } from './site-storage.ts'

/** The user's choice of text size, contrast, light or dark, and data use; an omitted choice follows the device's settings. */
export interface Comfort {
  text?: 'large' | 'larger'
  contrast?: 'more' | 'normal'
  /** Light or dark, even if the device prefers the other. */
  scheme?: 'light' | 'dark'
  data?: 'reduced' | 'full'
  /** The recording that is played and saved if a teaching has a smaller one. */
  recordings?: 'small' | 'original'
  /** Whether long silences are left out while a recording plays. */
  silence?: 'skipped' | 'played'
}

const place = 'comfort'
const chosen = makeStore<Comfort>({})

/** Applies the stored choice to the page; called before anything is rendered. */
export const applyComfort = (): void => put((readStored(place) ?? {}) as Comfort)

export function chooseComfort(change: { [Part in keyof Comfort]: Comfort[Part] | undefined }): void {
  // Another tab may have stored another choice. Without storage it applies until the page is closed.
  const kept = (readStored(place) as Comfort | undefined) ?? chosen.snapshot()
  put({ ...kept, ...change } as Comfort)
  store(place, chosen.snapshot())
}

function put(next: Comfort): void {
  const { dataset } = document.documentElement
  for (const part of ['text', 'contrast', 'scheme'] as const) {
    const value = next[part]
    if (value) dataset[part] = value
    else delete dataset[part]
  }
  // The server prerenders with it, so that nothing shifts at hydration.
  const words = [next.text ?? '', next.contrast ?? '', next.scheme ?? ''].join('.')
  if (words !== '..' || document.cookie.includes(`${place}=`))
    document.cookie = `${place}=${words}; path=/; max-age=31536000; samesite=lax`
  chosen.set(next)
}

export const useComfort = (): Comfort => useStore(chosen)

/** Whether to reduce data use: the user's choice if there is one, else the device's setting. */
export function reducesData(): boolean {
  const { data } = chosen.snapshot()
  if (data) return data === 'reduced'
  if (typeof window === 'undefined') return false
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  wished ??= matchMedia('(prefers-reduced-data: reduce)')
  return connection?.saveData === true || wished.matches
}

/** Queried once: every row of a list needs it at each render. */
let wished: MediaQueryList | undefined

export const useReducedData = (): boolean => useSyncExternalStore(chosen.subscribe, reducesData, () => false)

/** Whether to play and save the smaller recordings: as the user chose, else by default on a metered connection or with reduced data. */
export function prefersSmall(): boolean {
  const { recordings } = chosen.snapshot()
  if (recordings) return recordings === 'small'
  if (typeof window === 'undefined') return false
  const { connection } = navigator as { connection?: { type?: string } }
  return reducesData() || connection?.type === 'cellular'
}

export const usePrefersSmall = (): boolean =>
  useSyncExternalStore(chosen.subscribe, prefersSmall, () => false)

export const skipsSilence = (): boolean => chosen.snapshot().silence === 'skipped'
