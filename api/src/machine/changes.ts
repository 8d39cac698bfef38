/** Tells listeners inside this process that synced rows changed. Called after commit, never inside a transaction. */
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
