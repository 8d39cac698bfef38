import { church, churchFormat } from '../church.ts'

/** The weekly window in local time, also when daylight saving starts or ends; `start` and `end` as hh:mm. */
export const uploadWindow = () => {
  const { sftpWindow, timeZone } = church()
  return { weekday: sftpWindow.weekday, start: sftpWindow.from, end: sftpWindow.to, timeZone }
}

/** The window of one week. */
interface UploadWindow {
  opens: Date
  closes: Date
}

/** Whether an instant lies within the window. */
export function windowOpen(now: Date): boolean {
  const { weekday, start, end } = uploadWindow()
  const { year, month, day, hour, minute } = wallClock(now)
  if (weekdays[new Date(Date.UTC(year, month - 1, day)).getUTCDay()] !== weekday) return false
  const shown = hour * 60 + minute
  return shown >= minutesOf(start) && shown < minutesOf(end)
}

/** The open window, else the next one. */
export function nextWindow(now: Date): UploadWindow {
  const { weekday, start, end } = uploadWindow()
  const today = wallClock(now)
  for (let ahead = 0; ; ahead++) {
    // In calendar days: a day on which daylight saving starts or ends has 23 or 25 hours.
    const noon = new Date(Date.UTC(today.year, today.month - 1, today.day + ahead, 12))
    if (weekdays[noon.getUTCDay()] !== weekday) continue
    const closes = instantOf(noon, end)
    if (closes > now) return { opens: instantOf(noon, start), closes }
  }
}

const weekdays = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']

/** Minutes after midnight of hh:mm. */
function minutesOf(time: string): number {
  const [hour = 0, minute = 0] = time.split(':').map(Number)
  return hour * 60 + minute
}

const clock = churchFormat(
  {
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    hourCycle: 'h23',
  },
  'en-US',
)

function wallClock(at: Date) {
  const parts = Object.fromEntries(
    clock()
      .formatToParts(at)
      .map(({ type, value }) => [type, Number(value)]),
  )
  const { year, month, day, hour, minute } = parts as Record<string, number>
  return { year: year!, month: month!, day: day!, hour: hour!, minute: minute! }
}

/** The instant of the local time `time` (hh:mm) on the UTC calendar day of `day`; it never falls into a skipped hour. */
function instantOf(day: Date, time: string): Date {
  const wanted = Date.UTC(day.getUTCFullYear(), day.getUTCMonth(), day.getUTCDate(), 0, minutesOf(time))
  let guess = wanted
  for (let pass = 0; pass < 2; pass++) {
    const shown = wallClock(new Date(guess))
    guess += wanted - Date.UTC(shown.year, shown.month - 1, shown.day, shown.hour, shown.minute)
  }
  return new Date(guess)
}
