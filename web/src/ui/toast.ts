import { makeStore } from '../lib/lazy-store.ts'
import { toastTimings } from './timings.ts'

export interface ToastMessage {
  title: string
  description?: string | undefined
  kind?: 'default' | 'destructive'
  displayMs?: number
  /** What can be done about it with one press; the toast closes then. */
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
