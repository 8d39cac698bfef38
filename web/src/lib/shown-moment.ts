import { church } from '@fellowship/schema/church'

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

const formats = new Map<Style, Intl.DateTimeFormat>()

/**
 * A moment as screens show it: in New Zealand English and in the church's time zone, regardless of the device's settings,
 * so that all people read the same time. Returns an unreadable moment unchanged.
 *
 * @param at ISO 8601, or milliseconds since 1970
 */
export function shownMoment(at: string | number, style: Style = 'moment'): string {
  const moment = new Date(at)
  if (Number.isNaN(moment.getTime())) return String(at)
  // As the service time and the upload window are written; New Zealand's locale has them in lower case.
  return formatOf(style)
    .format(moment)
    .replace(/\b[ap]m$/, (half) => half.toUpperCase())
}

/** Creating a format reads the browser's locale tables, which is slow; each is created once, when first needed. */
function formatOf(style: Style): Intl.DateTimeFormat {
  const known = formats.get(style)
  if (known) return known
  const format = new Intl.DateTimeFormat(church.language, { ...styles[style], timeZone: church.timeZone })
  formats.set(style, format)
  return format
}
