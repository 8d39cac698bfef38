import { Range, RecurrenceRule, scheduleJob } from 'node-schedule'

/** Something that wakes up now and then, until it is cancelled. */
export interface Wakeup {
  cancel(): void
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'] as const

/**
 * Wakes once a week by the clocks of a place, also on the days they change. It only knocks: what is to be done then is for
 * the woken to find out, since a machine that slept wakes late and one that was off does not wake at all.
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

/** Wakes on every full minute, or every fifth where told. */
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
