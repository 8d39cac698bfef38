import { Range, RecurrenceRule, scheduleJob } from 'node-schedule'

/** A recurring timer. */
export interface Wakeup {
  cancel(): void
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/**
 * Calls `wake` once a week at a local time, correct over daylight-saving changes. `wake` has to decide what is due: a machine
 * that was suspended calls it late, and one that was off not at all.
 *
 * @param time hh:mm
 */
export function everyWeek(
  { weekday, time, timeZone }: { weekday: (typeof weekdays)[number]; time: string; timeZone: string },
  wake: () => void,
): Wakeup {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  const rule = new RecurrenceRule()
  Object.assign(rule, { dayOfWeek: weekdays.indexOf(weekday), hour, minute, second: 0, tz: timeZone })
  return job(rule, wake)
}

/** Calls `wake` at the start of every minute, or of every nth. */
export function everyMinutes(minutes: number, wake: () => void): Wakeup {
  const rule = new RecurrenceRule()
  rule.second = 0
  if (minutes > 1) rule.minute = new Range(0, 59, minutes)
  return job(rule, wake)
}

function job(rule: RecurrenceRule, wake: () => void): Wakeup {
  const scheduled = scheduleJob(rule, () => wake())
  return { cancel: () => void scheduled.cancel() }
}
