import { series } from '@fellowship/schema/series/series.contract'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { binTexts } from '@fellowship/schema/teachings/bin.texts'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { appDatabase, type OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { takeBackDelete } from '@fellowship/sync/client/outbox/outbox'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { queryClient } from '../../lib/query-client.ts'
import { showToast, type ToastMessage } from '../../ui/toast.ts'

/**
 * The Undo of a deletion's toast. If the server acknowledged the deletion, Undo restores the row at once; if its answer was
 * lost, the outbox withdraws the deletion and repeats the request until the server answers.
 */
export function undoDeletion(entry: OutboxEntry, isDone: boolean): ToastMessage['action'] {
  if (entry.op !== 'delete') return undefined
  return { label: 'Undo', onPress: () => void undo(entry, isDone) }
}

/** Refetches the bins if a page shows them. */
export const refreshBins = (): void =>
  void queryClient.invalidateQueries({
    predicate: ({ queryKey: [path] }) => typeof path === 'string' && path.startsWith('/api/admin/bin'),
  })

async function undo(entry: OutboxEntry, isDone: boolean): Promise<void> {
  const isOfSeries = entry.kind === 'series'
  try {
    if (!isDone && (await takeBackDelete(appDatabase(), entry.mutationId))) return
    const { title } = isOfSeries
      ? await call(series.undoRemove, { params: { uid: entry.uid } })
      : await call(teachings.undoRemove, { params: { id: entry.teachingId } })
    refreshBins()
    await syncSession().pull()
    const restored = isOfSeries ? seriesTexts.restored : binTexts.restored
    showToast({ title: restored, description: withSpaces(title) })
  } catch (error) {
    showToast({ title: binTexts.restoreFailed, description: sentenceOfError(error), kind: 'destructive' })
  }
}
