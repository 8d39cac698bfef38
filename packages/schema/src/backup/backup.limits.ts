import { church } from '../church.ts'
/** Age at which a backup causes a warning. */
export const backupWarningDays = 14

/**
 * The size of a backup that a restore accepts. A larger one is not made. The budgets of the tables (listening, the audit log,
 * synced rows) add up to less.
 */
export const backupLimits = {
  /** Bytes of database.json. */
  databaseBytes: 1024 * 1024 * 1024,
  /** Bytes of one row in it. */
  rowBytes: 4 * 1024 * 1024,
  /** Bytes of manifest.json, which is read into memory. */
  manifestBytes: 128 * 1024 * 1024,
  /** Files of the archive. */
  files: 500_000,
} as const

/** Lines of the history that are shown. */
export const backupHistoryLines = 50

/** Weekly backups that are kept, unless configured otherwise. */
export const weeklyBackupsKept = 4

/** Daily files of the database that are kept. */
export const dailyBackupsKept = 14

/** When the weekly backup is due: well after Sunday's uploads. */
const weeklyBackupTime = () => ({ weekday: 'Monday', time: '03:30', timeZone: church().timeZone })

/** Hours until a failed backup is retried. */
export const failedBackupRetryHours = 24

/** A time of the week in a time zone. */
interface WeeklyTime {
  readonly weekday: string
  /** hh:mm, at a quarter of an hour. */
  readonly time: string
  readonly timeZone: string
}

/** The latest time, up to now, when a weekly task such as the backup was due in its time zone. */
export const slotBefore = (now: Date, weekly: WeeklyTime = weeklyBackupTime()): Date =>
  search(now, -1, weekly)

/** The next time after now at which one is due. */
export const slotAfter = (now: Date): Date => search(now, +1, weeklyBackupTime())

const stepMs = 15 * 60_000

/** Steps of a quarter of an hour hit every slot in every time zone, also when daylight saving starts or ends. */
function search(now: Date, direction: -1 | 1, weekly: WeeklyTime): Date {
  const isSlot = slotTest(weekly)
  const first = Math.floor(now.getTime() / stepMs) * stepMs + (direction > 0 ? stepMs : 0)
  for (let at = first; ; at += direction * stepMs) {
    if (Math.abs(at - first) > 15 * 24 * 60 * 60_000) throw new Error('No such hour in two weeks.')
    if (isSlot(new Date(at))) return new Date(at)
  }
}

function slotTest({ weekday, time, timeZone }: WeeklyTime): (moment: Date) => boolean {
  const clock = new Intl.DateTimeFormat('en-NZ', {
    timeZone,
    weekday: 'long',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  return (moment) => {
    const parts = Object.fromEntries(clock.formatToParts(moment).map(({ type, value }) => [type, value]))
    return parts['weekday'] === weekday && `${parts['hour']}:${parts['minute']}` === time
  }
}
