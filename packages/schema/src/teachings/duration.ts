/** The seconds of a stored length, 'm:ss' or 'h:mm:ss'; null for anything else. */
export function secondsOf(duration: string | null): number | null {
  if (!duration || !/^\d{1,3}(:[0-5]\d){1,2}$/.test(duration)) return null
  return duration.split(':').reduce((total, part) => total * 60 + Number(part), 0)
}
