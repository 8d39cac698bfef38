/** Whether this process is draining: new work is refused, running work may finish. */
export interface Lifecycle {
  readonly draining: boolean
  /** Resolves when draining begins: open streams then end themselves. */
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
