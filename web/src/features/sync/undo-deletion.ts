import { auth } from '@fellowship/schema/auth/auth.contract'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { series } from '@fellowship/schema/series/series.contract'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { bin } from '@fellowship/schema/teachings/bin.contract'
import { binTexts } from '@fellowship/schema/teachings/bin.texts'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { appDatabase, type OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { discard } from '@fellowship/sync/client/outbox/outbox'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { queryClient } from '../../lib/query-client.ts'
import { showToast, type ToastMessage } from '../../ui/toast.ts'

/**
 * The Undo of a deletion's toast. One that was not sent yet is taken out of the outbox; one that was is brought back from
 * the bin, which is an administrator's right: for others there is none.
 */
export function undoDeletion(entry: OutboxEntry, sent: boolean): ToastMessage['action'] {
  if (entry.op !== 'delete') return undefined
  if (!sent) return { label: 'Undo', onPress: () => void discard(appDatabase(), entry.mutationId) }
  const known = queryClient.getQueryData<AnswerOf<typeof auth.currentUser>>([auth.currentUser.path])
  if (known?.user?.role !== 'admin') return undefined
  return { label: 'Undo', onPress: () => void bringBack(entry) }
}

async function bringBack(entry: OutboxEntry): Promise<void> {
  const isOfSeries = entry.kind === 'series'
  try {
    const { title } = isOfSeries
      ? await call(series.restore, { params: { uid: entry.uid } })
      : await call(bin.restore, { params: { id: entry.teachingId } })
    await syncSession().pull()
    const restored = isOfSeries ? seriesTexts.restored : binTexts.restored
    showToast({ title: restored, description: withSpaces(title) })
  } catch (error) {
    showToast({ title: binTexts.restoreFailed, description: sentenceOfError(error), kind: 'destructive' })
  }
}
