import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'
import { useEffect, useSyncExternalStore } from 'react'
import { whenIdle } from '../../boot/when-idle.ts'
import type { Positions } from './positions-state.ts'

let positions: Positions | undefined
let started: Promise<void> | undefined
const listeners = new Set<() => void>()

const put = (next: Positions) => {
  positions = next
  for (const listener of listeners) listener()
}

/** Resolves when the positions are known; the database is opened at the first call. */
export function positionsKnown(): Promise<void> {
  started ??= import('./positions-device.ts').then(
    ({ watchPositions }) => watchPositions(put),
    () => put(new Map()),
  )
  return started
}

export const positionsNow = (): Positions | undefined => positions

/** Writes a moment of listening down; a device that cannot is no reason to stop listening. */
export function note(uid: string, moment: ListeningMoment): void {
  void import('./positions-device.ts').then((device) => device.note(uid, moment)).catch(() => undefined)
}

/** The positions as they change; asked for once the page is drawn. */
export function usePositions(): Positions | undefined {
  useEffect(() => whenIdle(() => void positionsKnown()), [])
  return useSyncExternalStore(subscribe, positionsNow, positionsNow)
}

const subscribe = (listener: () => void) => {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}
