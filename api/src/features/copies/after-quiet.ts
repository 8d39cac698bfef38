/** Work that waits for a quiet while after a change, and is looked at now and then without one. */
export interface AfterQuiet {
  readonly changed: () => void
  readonly stop: () => void
}

interface Times {
  /** Milliseconds without a change until the work begins. */
  readonly quietMs: number
  /** Milliseconds from the first change until it begins though others follow. */
  readonly mostMs: number
  /** Milliseconds after which it is begun without a change. */
  readonly everyMs: number
}

/** Runs the work one at a time, the first time after a quiet while from now. The work must not reject. */
export function afterQuiet(work: () => Promise<void>, { quietMs, mostMs, everyMs }: Times): AfterQuiet {
  let timer: NodeJS.Timeout | undefined
  let isStopped = false
  let isRunning = false
  /** When the first change came that the work may not have seen. */
  let since: number | undefined
  const runIn = (ms: number) => {
    clearTimeout(timer)
    if (!isStopped && !isRunning) timer = setTimeout(() => void run(), ms)
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
    },
  }
}
