import { counted } from '../counted.ts'
import { fileAgeMinutes } from './sftp.limits.ts'

/** Under 5 minutes green, under 60 yellow, else red. */
export function fileAgeTone(minutes: number): 'green' | 'yellow' | 'red' {
  if (minutes < fileAgeMinutes.green) return 'green'
  return minutes < fileAgeMinutes.yellow ? 'yellow' : 'red'
}

/** The age in minutes, hours or days. */
export function fileAge(minutes: number): string {
  if (minutes < 60) return counted(Math.max(0, Math.floor(minutes)), 'minute')
  if (minutes < 24 * 60) return counted(Math.floor(minutes / 60), 'hour')
  return counted(Math.floor(minutes / (24 * 60)), 'day')
}
