/** A person's listening has changed; `sender` is the session of the device that changed it. */
export interface ListeningHint {
  userId: number
  sender: string
}

/** Notifies listeners in this process that rows changed. Call it after the commit, never in a transaction. */
export interface Changes {
  /** Of the synced rows. */
  announce(): void
  /** Returns the function that stops listening. */
  listen(onChange: () => void): () => void
  /** Of one person's listening. */
  hint(hint: ListeningHint): void
  /** Calls back with the sender of each hint to a person; returns the function that stops it. */
  onHint(userId: number, then: (sender: string) => void): () => void
}

export function inProcessChanges(): Changes {
  const listeners = new Set<() => void>()
  const hinted = new Map<number, Set<(sender: string) => void>>()
  return {
    announce() {
      for (const onChange of listeners) onChange()
    },
    listen(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
    hint({ userId, sender }) {
      for (const then of hinted.get(userId) ?? []) then(sender)
    },
    onHint(userId, then) {
      const devices = hinted.get(userId) ?? new Set()
      hinted.set(userId, devices.add(then))
      return () => {
        devices.delete(then)
        if (devices.size === 0 && hinted.get(userId) === devices) hinted.delete(userId)
      }
    },
  }
}
