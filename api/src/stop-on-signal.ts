import type { Log } from './machine/log.ts'

/**
 * Ends this process by `drain` at the first signal, with exit code 0. One that comes again within two seconds is the same
 * request: npm, a service manager and a terminal each pass it on. A later one exits at once, and so does a drain that
 * takes too long.
 *
 * @param drain calls `onStep` with the work it waits for, which is logged if it takes too long
 */
export function stopOnSignal(
  log: Pick<Log, 'info' | 'error'>,
  drain: (onStep: (step: string) => void) => Promise<void>,
): void {
  let since: number | undefined
  let step = ''
  const stop = (signal: string) => {
    if (since !== undefined) {
      if (performance.now() - since > sameRequestMs) process.exit(1)
      return
    }
    since = performance.now()
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error({ step }, 'not everything ended in time; what runs is cut off')
      process.exit(1)
    }, longestMs).unref()
    drain((next) => void (step = next)).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
}

const sameRequestMs = 2_000

/** Service managers kill after 30 seconds or more (Docker after 10, which the drain of requests alone stays within). */
const longestMs = 27_000
