import { makeStore } from '../lib/lazy-store.ts'

/** At most one toast, shown 5 s, swiped right by 50 px, reached by F8; a dismissed one is forgotten after 1,000,000 ms. */
export const toastTimings = {
  limit: 1,
  displayMs: 5_000,
  removalMs: 1_000_000,
  swipeDirection: 'right',
  swipeThresholdPx: 50,
  hotkey: 'F8',
} as const

export interface ToastMessage {
  title: string
  description?: string | undefined
  kind?: 'default' | 'destructive'
  displayMs?: number
  /** The action that one press performs; the toast closes then. */
  action?: { label: string; onPress: () => void } | undefined
}

export interface ShownToast extends ToastMessage {
  id: number
  open: boolean
}

export const toastStore = makeStore<ShownToast | null>(null)
let lastId = 0
let removal: ReturnType<typeof setTimeout> | undefined

/** Shows a toast. There is one at a time: the newest replaces an older one. */
export function showToast(message: ToastMessage): void {
  clearTimeout(removal)
  toastStore.set({ ...message, id: ++lastId, open: true })
}

/** Closes the toast; it is removed from the store after `removalMs`. */
export function dismissToast(id: number): void {
  const current = toastStore.snapshot()
  if (current?.id !== id || !current.open) return
  toastStore.set({ ...current, open: false })
  removal = setTimeout(() => toastStore.set(null), toastTimings.removalMs)
}
