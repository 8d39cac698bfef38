export const speeds = [0.75, 1, 1.25, 1.5, 1.75, 2] as const

const key = 'listening-speeds'

/** The speed at which this device last listened to a speaker: some speak slowly, some do not. */
export function speedOf(speaker: string): number {
  const speed = read()[speaker]
  return speeds.find((known) => known === speed) ?? 1
}

export function rememberSpeed(speaker: string, speed: number): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...read(), [speaker]: speed }))
  } catch {
    // Without storage the speed holds for as long as the player is open.
  }
}

function read(): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(key) ?? '{}')
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}
