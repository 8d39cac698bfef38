import { counted } from '@fellowship/schema/counted'

/** Seconds for display: '0:07', '38:12', '1:02:09'. Unknown is '–:––'. */
export function clockTime(seconds: number | null): string {
  if (seconds === null || !Number.isFinite(seconds) || seconds < 0) return '–:––'
  const whole = Math.floor(seconds)
  const two = (part: number) => String(part).padStart(2, '0')
  const hours = Math.floor(whole / 3600)
  const minutes = Math.floor(whole / 60) % 60
  return hours > 0 ? `${hours}:${two(minutes)}:${two(whole % 60)}` : `${minutes}:${two(whole % 60)}`
}

/** The same in words, for screen readers: '1 hour 2 minutes 9 seconds'. */
export function spokenTime(seconds: number): string {
  const whole = Math.max(0, Math.floor(seconds))
  const parts = [
    someOf(Math.floor(whole / 3600), 'hour'),
    someOf(Math.floor(whole / 60) % 60, 'minute'),
    someOf(whole % 60, 'second'),
  ].filter((part) => part !== '')
  return parts.join(' ') || '0 seconds'
}

const someOf = (count: number, unit: string) => (count === 0 ? '' : counted(count, unit))
