import { toastTimings } from './timings.ts'

export interface ToastMessage {
  title: string
  description?: string | undefined
  kind?: 'default' | 'destructive'
  displayMs?: number
}

export interface ShownToast extends ToastMessage {
  id: number
  open: boolean
}

let current: ShownToast | null = null
let lastId = 0
let removal: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

/** SPEC §4: one message at a time, the newest replaces an older one. */
export function showToast(message: ToastMessage): void {
  clearTimeout(removal)
  set({ ...message, id: ++lastId, open: true })
}

/** Closes the message; it is forgotten altogether after SPEC's removal delay. */
export function dismissToast(id: number): void {
  if (current?.id !== id || !current.open) return
  set({ ...current, open: false })
  removal = setTimeout(() => set(null), toastTimings.removalMs)
}

/** The store as React reads it. */
export const toastStore = {
  subscribe: (listener: () => void) => {
    listeners.add(listener)
    return () => void listeners.delete(listener)
  },
  snapshot: () => current,
}

function set(next: ShownToast | null): void {
  current = next
  for (const listener of listeners) listener()
}
