import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import type { ListeningStatus } from '@fellowship/sync/client/listening/listening-accounts'
import { ago } from '../sync/status-words.ts'

/** Where the shown listening is kept. */
export function whereKept({ account, owner, hasOthers }: ListeningStatus): string {
  if (owner === 0) return [texts.onDevice, ...(hasOthers ? [texts.ofOthers] : [])].join(' ')
  if (account?.on) return texts.withAccount
  return account && account.held > 0 ? texts.sinceTurnedOff : texts.ofUser
}

/** Where notes are kept that are written now. */
export function whereNotesAreKept({ account, owner }: ListeningStatus): string {
  if (owner === 0 || !account) return texts.noteOnDevice
  if (account.on) return texts.noteWithAccount
  return account.held > 0 ? texts.newNoteOnDevice : texts.noteOnDevice
}

/** Whether listening is sent to the account, and how fresh it is there. */
export function listeningSyncWords(
  { account, unsent }: ListeningStatus,
  { isOnline, now }: { isOnline: boolean; now: number },
): string {
  if (account?.on === false) return texts.off
  const { attempts = 0, lastError, syncedAt } = account ?? {}
  const isOffline = !isOnline || (attempts > 0 && lastError?.code === 'network')
  const waiting = unsent > 0 ? `${texts.waiting(unsent)}.` : ''
  if (isOffline) return `Offline. ${waiting}`.trim()
  if (attempts > 0 && lastError) return `Could not update: ${lastError.sentence} ${waiting}`.trim()
  if (waiting) return waiting
  return syncedAt === undefined ? 'Updating…' : `Up to date, ${ago(now - syncedAt)}.`
}
