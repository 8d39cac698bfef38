import { outboxTexts as texts } from '@fellowship/schema/sync/outbox.texts'
import type { OutboxEntry } from '@fellowship/sync/client/database/app-database'

/** Entries of a user that the server does not have, and recordings that wait here for a sign-in. */
export interface Unsent {
  entries: readonly Pick<OutboxEntry, 'state' | 'attempts'>[]
  uploads: number
  isOffline: boolean
}

/** The lines about unsent work; undefined if there is none of the kind. */
export function unsentWords({ entries, uploads, isOffline }: Unsent) {
  const count = (...states: readonly string[]) => entries.filter(({ state }) => states.includes(state)).length
  const undecided = count('conflict', 'rejected')
  const blocked = count('blocked_auth')
  // An entry at its first attempt disappears in a moment.
  const retrying = entries.filter(({ state, attempts }) => state === 'queued' && attempts > 0).length
  const signIn = [
    ...(blocked > 0 ? [texts.signIn(blocked)] : []),
    ...(uploads > 0 ? [texts.signInToUpload(uploads)] : []),
  ]
  return {
    attention: undecided > 0 ? texts.attention(undecided) : undefined,
    signIn: signIn.length > 0 ? signIn : undefined,
    waiting: retrying > 0 ? texts.waiting(retrying, isOffline) : undefined,
  }
}
