import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'

/**
 * Stores a moment of listening when the page may be ending; the next page writes it to the database. If a database write
 * began here, WebKit would never end it, and every later page would wait for it.
 */
export function keepAsLeft(uid: string, moment: ListeningMoment): void {
  try {
    localStorage.setItem(key, JSON.stringify({ ...read(), [uid]: moment }))
  } catch {
    // Site data is refused or full: the rows written during playback remain.
  }
}

/** Returns the stored moments, and removes each once it is written. */
export async function takeLeft(
  write: (uid: string, moment: ListeningMoment) => Promise<unknown>,
): Promise<void> {
  for (const [uid, moment] of Object.entries(read())) {
    await write(uid, moment)
    const { [uid]: now, ...others } = read()
    // Another tab may have stored a newer moment.
    if (now?.at === moment.at) localStorage.setItem(key, JSON.stringify(others))
  }
}

export function forgetLeft(): void {
  try {
    localStorage.removeItem(key)
  } catch {
    // If site data is blocked, nothing was stored.
  }
}

const key = 'listening-as-left'

function read(): Record<string, ListeningMoment> {
  try {
    return JSON.parse(localStorage.getItem(key) ?? '{}') as Record<string, ListeningMoment>
  } catch {
    return {}
  }
}
