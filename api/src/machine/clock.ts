/** The current time, injected so that tests can control it. */
export interface Clock {
  now(): Date
}

export const systemClock: Clock = { now: () => new Date() }

/** A clock that a test sets by hand. `start` is an ISO time with its zone: '2026-11-22T11:00+13:00'. */
export function testClock(
  start: string,
): Clock & { advance(milliseconds: number): void; set(time: string): void } {
  let time = Date.parse(start)
  return {
    now: () => new Date(time),
    advance(milliseconds) {
      time += milliseconds
    },
    set(next) {
      time = Date.parse(next)
    },
  }
}
