import { series } from '@fellowship/schema/series/series.contract'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { binTexts } from '@fellowship/schema/teachings/bin.texts'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { appDatabase, type OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { discard } from '@fellowship/sync/client/outbox/outbox'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { showToast, type ToastMessage } from '../../ui/toast.ts'

/** The Undo of a deletion's toast: one that was not sent yet is taken out of the outbox, one that was is taken back. */
export function undoDeletion(entry: OutboxEntry, sent: boolean): ToastMessage['action'] {
  if (entry.op !== 'delete') return undefined
  const onPress = sent ? () => void bringBack(entry) : () => void discard(appDatabase(), entry.mutationId)
  return { label: 'Undo', onPress }
}

async function bringBack(entry: OutboxEntry): Promise<void> {
  const isOfSeries = entry.kind === 'series'
  try {
    const { title } = isOfSeries
      ? await call(series.undoRemove, { params: { uid: entry.uid } })
      : await call(teachings.undoRemove, { params: { id: entry.teachingId } })
    await syncSession().pull()
    const restored = isOfSeries ? seriesTexts.restored : binTexts.restored
    showToast({ title: restored, description: withSpaces(title) })
  } catch (error) {
    showToast({ title: binTexts.restoreFailed, description: sentenceOfError(error), kind: 'destructive' })
  }
}
