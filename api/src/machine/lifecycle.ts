/** Whether this process is on its way out: new work is refused, running work may finish. */
export interface Lifecycle {
  readonly draining: boolean
  /** Settles when draining begins: open streams end themselves then. */
  readonly ended: Promise<void>
  drain(): void
}

export function lifecycle(): Lifecycle {
  let draining = false
  let end = () => {}
  const ended = new Promise<void>((resolve) => (end = resolve))
  return {
    ended,
    get draining() {
      return draining
    },
    drain() {
      draining = true
      end()
    },
  }
}
