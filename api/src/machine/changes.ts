/** Notifies listeners in this process that synced rows changed. Call it after the commit, never in a transaction. */
export interface Changes {
  announce(): void
  /** Returns the function that stops listening. */
  listen(onChange: () => void): () => void
}

export function inProcessChanges(): Changes {
  const listeners = new Set<() => void>()
  return {
    announce() {
      for (const onChange of listeners) onChange()
    },
    listen(onChange) {
      listeners.add(onChange)
      return () => listeners.delete(onChange)
    },
  }
}
