import { useSyncExternalStore } from 'react'
import { makeStore, useStore } from './lazy-store.ts'

/** What somebody chose for their eyes and for their line; what is left out follows the device's own settings. */
export interface Comfort {
  text?: 'large' | 'larger'
  contrast?: 'more' | 'normal'
  data?: 'reduced' | 'full'
}

const place = 'comfort'
const chosen = makeStore<Comfort>({})

/** Puts the choice of this device on the page; called before anything is drawn. */
export function applyComfort(): void {
  try {
    put(JSON.parse(localStorage.getItem(place) ?? '{}') as Comfort)
  } catch {
    // A browser that keeps nothing for the site shows it as it is.
  }
}

/** Chooses anew, and keeps it on this device. */
export function chooseComfort(change: { [Part in keyof Comfort]: Comfort[Part] | undefined }): void {
  put({ ...kept(), ...change } as Comfort)
  try {
    localStorage.setItem(place, JSON.stringify(chosen.snapshot()))
  } catch {
    // It holds until the page is closed.
  }
}

/** As it stands on the device: another tab may have chosen since. */
function kept(): Comfort {
  try {
    const text = localStorage.getItem(place)
    return text === null ? chosen.snapshot() : (JSON.parse(text) as Comfort)
  } catch {
    return chosen.snapshot()
  }
}

function put(next: Comfort): void {
  const { dataset } = document.documentElement
  for (const part of ['text', 'contrast'] as const) {
    const value = next[part]
    if (value) dataset[part] = value
    else delete dataset[part]
  }
  // Tells the server what to put on the very first HTML, so that nothing jumps when the script arrives.
  const words = [next.text ?? '', next.contrast ?? ''].join('.')
  if (words !== '.' || document.cookie.includes(`${place}=`))
    document.cookie = `${place}=${words}; path=/; max-age=31536000; samesite=lax`
  chosen.set(next)
}

/** What was chosen, as it changes. */
export const useComfort = (): Comfort => useStore(chosen)

/** Whether to ask the line for no more than is needed: as chosen, else as the device is set. */
export function reducesData(): boolean {
  const { data } = chosen.snapshot()
  if (data) return data === 'reduced'
  if (typeof window === 'undefined') return false
  const { connection } = navigator as { connection?: { saveData?: boolean } }
  wished ??= matchMedia('(prefers-reduced-data: reduce)')
  return connection?.saveData === true || wished.matches
}

/** Asked for once: every row of a list asks for it again each time it is drawn. */
let wished: MediaQueryList | undefined

export const useReducedData = (): boolean => useSyncExternalStore(chosen.subscribe, reducesData, () => false)
