import { weeklyBackupTime } from './backup.limits.ts'

/** The last time, up to now, at which a weekly backup was due in Auckland. */
export const slotBefore = (now: Date): Date => search(now, -1)

/** The next time after now at which one is due. */
export const slotAfter = (now: Date): Date => search(now, +1)

const stepMs = 30 * 60_000

/** Steps of half an hour hit every slot, also when daylight saving starts or ends. */
function search(now: Date, direction: -1 | 1): Date {
  const first = Math.floor(now.getTime() / stepMs) * stepMs + (direction > 0 ? stepMs : 0)
  for (let at = first; ; at += direction * stepMs) {
    if (Math.abs(at - first) > 15 * 24 * 60 * 60_000) throw new Error('No such hour in two weeks.')
    if (isSlot(new Date(at))) return new Date(at)
  }
}

const clock = new Intl.DateTimeFormat('en-NZ', {
  timeZone: weeklyBackupTime.timeZone,
  weekday: 'long',
  hour: '2-digit',
  minute: '2-digit',
  hourCycle: 'h23',
})

function isSlot(moment: Date): boolean {
  const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, value]))
  const { weekday, time } = weeklyBackupTime
  return parts['weekday'] === weekday && `${parts['hour']}:${parts['minute']}` === time
}
