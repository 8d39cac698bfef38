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
  /** Whether the rest of a recording is fetched while it plays; it is unless reduced data is wanted. */
  ahead?: 'off'
  /** Whether long silences are left out while a recording plays. */
  silence?: 'skipped' | 'played'
  /** Whether this device stores the transcript index. */
  spoken?: 'stored' | 'none'
}

const place = 'comfort'
export const chosenComfort = makeStore<Comfort>({})

/** Applies the stored choice to the page; called before anything is rendered. */
export const applyComfort = (): void => put((readStored(place) ?? {}) as Comfort)

export function chooseComfort(change: { [Part in keyof Comfort]: Comfort[Part] | undefined }): void {
  // Another tab may have stored another choice. Without storage it applies until the page is closed.
  const kept = (readStored(place) as Comfort | undefined) ?? chosenComfort.snapshot()
  put({ ...kept, ...change } as Comfort)
  store(place, chosenComfort.snapshot())
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
  chosenComfort.set(next)
}

export const useComfort = (): Comfort => useStore(chosenComfort)

/** Whether to reduce data use: the user's choice if there is one, else the device's setting. */
export function reducesData(): boolean {
  const { data } = chosenComfort.snapshot()
  if (data) return data === 'reduced'
  if (typeof window === 'undefined') return false
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  wished ??= matchMedia('(prefers-reduced-data: reduce)')
  return connection?.saveData === true || wished.matches
}

/** Queried once: every row of a list needs it at each render. */
let wished: MediaQueryList | undefined

export const useReducedData = (): boolean =>
  useSyncExternalStore(chosenComfort.subscribe, reducesData, () => false)

export const skipsSilence = (): boolean => chosenComfort.snapshot().silence === 'skipped'
