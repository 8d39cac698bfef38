import { useEffect, useSyncExternalStore } from 'react'
import { whenIdle } from '../boot/phases.ts'

/** A value outside of React that components follow. */
export interface Store<Value> {
  snapshot: () => Value
  /** The value it was made with, which pages are prerendered from. */
  initial: () => Value
  set: (next: Value) => void
  subscribe: (listener: () => void) => () => void
}

export function makeStore<Value>(value: Value): Store<Value> {
  const listeners = new Set<() => void>()
  const initial = value
  return {
    snapshot: () => value,
    initial: () => initial,
    set(next) {
      value = next
      for (const listener of listeners) listener()
    },
    subscribe(listener) {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
}

export interface LazyStore<Value> extends Store<Value> {
  /** Starts it, once; resolves when it has its first value. */
  ready: () => Promise<void>
}

/** A store that `start` fills at first use, from a module loaded then. If it fails, the next use tries again. */
export function lazyStore<Value>(
  initial: Value,
  start: (set: (next: Value) => void) => Promise<void>,
): LazyStore<Value> {
  const store = makeStore(initial)
  let started: Promise<void> | undefined
  return { ...store, ready: () => (started ??= start(store.set).catch(() => void (started = undefined))) }
}

/**
 * The value as it changes. A part of a page that hydrates late begins with the initial value as the server did, although
 * the store may be filled by then.
 */
export const useStore = <Value>({ subscribe, snapshot, initial }: Store<Value>): Value =>
  useSyncExternalStore(subscribe, snapshot, initial)

/** The value as it changes; the store starts once the page is idle. */
export function useLazyStore<Value>(store: LazyStore<Value>): Value {
  const { ready } = store
  useEffect(() => whenIdle(() => void ready()), [ready])
  return useStore(store)
}
