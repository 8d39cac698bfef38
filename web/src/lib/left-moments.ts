import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'
import { readStored, store } from './site-storage.ts'

/**
 * Stores a moment of listening when the page may be ending; the next page writes it to the database. If a database write
 * began here, WebKit would never end it, and every later page would wait for it.
 */
export function keepAsLeft(uid: string, moment: ListeningMoment): void {
  store(key, { ...read(), [uid]: moment })
  send(uid, moment)
}

type Send = (uid: string, moment: ListeningMoment) => void
let send: Send = () => undefined

/** Sends such a moment to the account at once too, from now on. */
export const sendLeftBy = (next: Send): void => void (send = next)

/** Returns the stored moments, and removes each once it is written. */
export async function takeLeft(
  write: (uid: string, moment: ListeningMoment) => Promise<unknown>,
): Promise<void> {
  for (const [uid, moment] of Object.entries(read())) {
    await write(uid, moment)
    const { [uid]: now, ...others } = read()
    // Another tab may have stored a newer moment.
    if (now?.at === moment.at) store(key, others)
  }
}

export const forgetLeft = (): void => store(key, undefined)

const key = 'listening-as-left'

const read = () => (readStored(key) ?? {}) as Record<string, ListeningMoment>
