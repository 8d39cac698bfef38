import { churchFormat } from '@fellowship/schema/church'

const styles = {
  /** '15 Mar 2026, 2:05 PM' */
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  /** 'Sunday, 15 March 2026 at 2:05 PM', for scheduled events */
  schedule: { dateStyle: 'full', timeStyle: 'short' },
  /** '15 March 2026' */
  day: { dateStyle: 'long' },
  /** '2:05 PM', for events at most hours away */
  time: { timeStyle: 'short' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

type Style = keyof typeof styles

/**
 * A moment as screens show it: in the church's language and time zone, regardless of the device's settings,
 * so that all people read the same time. Returns an unreadable moment unchanged.
 *
 * @param at ISO 8601, or milliseconds since 1970
 */
export function shownMoment(at: string | number, style: Style = 'moment'): string {
  const moment = new Date(at)
  if (Number.isNaN(moment.getTime())) return String(at)
  // As the service time and the upload window are written; New Zealand's locale has them in lower case.
  return formats[style]()
    .format(moment)
    .replace(/\b[ap]m$/, (half) => half.toUpperCase())
}

const formats = {
  moment: churchFormat(styles.moment),
  schedule: churchFormat(styles.schedule),
  day: churchFormat(styles.day),
  time: churchFormat(styles.time),
}
