import { readStored, store } from '../../../lib/site-storage.ts'

export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2] as const

const key = 'listening-speeds'

/** The speed at which this device last listened to a speaker: some speak slowly, some do not. */
export function speedOf(speaker: string): number {
  const speed = read()[speaker]
  return speeds.find((known) => known === speed) ?? 1
}

export const rememberSpeed = (speaker: string, speed: number): void =>
  store(key, { ...read(), [speaker]: speed })

const read = () => (readStored(key) ?? {}) as Record<string, unknown>
