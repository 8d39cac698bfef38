/** Spaces and colons become underscores: 'Sunday 11:00 14:00' → 'Sunday_11_00_14_00'. */
export const toIdentifier = (text: string): string => text.trim().replace(/[\s:]+/g, '_')

/** The identifier of a weekly time range: day, start and end as 'HH:MM' or 'H:MM AM'. */
export const timeRangeIdentifier = (day: string, start: string, end: string): string =>
  toIdentifier(`${day} ${start} ${end}`)

/**
 * The compact label of a time range, rebuilt from its identifier: 'Sunday_11_00_14_00' is 'Sunday 11:00–14:00',
 * 'Sunday_11_00_AM_2_00_PM' is 'Sunday 11:00 AM–2:00 PM'. Null for any other text.
 */
export function timeRangeLabel(identifier: string): string | null {
  const match = new RegExp(`^(\\p{L}+)_${time}_${time}$`, 'u').exec(identifier)
  if (!match) return null
  const [, day = '', startHour, startMinute, startHalf, endHour, endMinute, endHalf] = match
  const start = clockTime(startHour, startMinute, startHalf)
  const end = clockTime(endHour, endMinute, endHalf)
  return start && end ? `${day} ${start}–${end}` : null
}

const time = '(\\d{1,2})_(\\d{2})(?:_(AM|PM|am|pm))?'

function clockTime(hour = '', minute = '', half?: string): string | null {
  const inRange = half ? Number(hour) >= 1 && Number(hour) <= 12 : Number(hour) <= 23
  if (!inRange || Number(minute) > 59) return null
  return half ? `${hour}:${minute} ${half}` : `${hour}:${minute}`
}
