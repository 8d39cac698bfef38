/** Background work that runs when changes have ceased for a while, and periodically without one. */
interface AfterQuiet {
  readonly changed: () => void
  /** Resolves when work that is running has ended. */
  readonly stop: () => Promise<void>
}

interface Times {
  /** Milliseconds without a change before the work begins. */
  readonly quietMs: number
  /** Milliseconds after the first change when the work begins even if others follow. */
  readonly mostMs: number
  /** Milliseconds between two runs if there is no change. */
  readonly everyMs: number
}

/** Runs the work, never twice at once. The first run begins after `quietMs`. The work must not reject. */
export function afterQuiet(work: () => Promise<void>, { quietMs, mostMs, everyMs }: Times): AfterQuiet {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isRunning = false
  let running = Promise.resolve()
  /** Time of the first change that the work may have missed. */
  let since: number | undefined
  const runIn = (ms: number) => {
    clearTimeout(timer)
    if (!isStopped && !isRunning) timer = setTimeout(() => void (running = run()), ms)
  }
  const changed = () => {
    since ??= performance.now()
    runIn(Math.max(0, Math.min(quietMs, since + mostMs - performance.now())))
  }
  async function run(): Promise<void> {
    isRunning = true
    since = undefined
    await work()
    isRunning = false
    runIn(since === undefined ? everyMs : quietMs)
  }
  changed()
  return {
    changed,
    stop() {
      isStopped = true
      clearTimeout(timer)
      return running
    },
  }
}
