/** Whether this process is on its way out: new work is refused, running work may finish. */
export interface Lifecycle {
  readonly draining: boolean
  drain(): void
}

export function lifecycle(): Lifecycle {
  let draining = false
  return {
    get draining() {
      return draining
    },
    drain() {
      draining = true
    },
  }
}
