import { auth } from '@fellowship/schema/auth/auth.contract'
import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { series } from '@fellowship/schema/series/series.contract'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { outboxTexts } from '@fellowship/schema/sync/outbox.texts'
import { binTexts, teachingTexts } from '@fellowship/schema/teachings/teachings.texts'
import { shownTitle, withSpaces } from '@fellowship/schema/teachings/shown-title'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { appDatabase, type OutboxEntry } from '@fellowship/sync/client/database/app-database'
import { onMemoryUse, usesMemory } from '@fellowship/sync/client/database/memory-fallback'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { deviceQueues, type DeviceQueues } from '@fellowship/sync/client/device-queues'
import { watch } from '@fellowship/sync/client/engine/live'
import { takeBackDelete } from '@fellowship/sync/client/outbox/outbox'
import type { OutboxEvent } from '@fellowship/sync/client/outbox/outbox-drain'
import { syncSession } from '@fellowship/sync/client/replica/sync-session'
import { askedAnswer, type UploadJobEvent } from '@fellowship/sync/client/uploads/upload-jobs'
import { holdWhile, isPageHeld } from '../../lib/busy.ts'
import { queryClient } from '../../lib/query-client.ts'
import { signInAddress, signInRedirectMs } from '../../lib/sign-in-address.ts'
import { showToast, type ToastMessage } from '../../ui/toast.ts'
import { uploadedToastMs } from '../../ui/timings.ts'

let listening: (() => void) | undefined

/** The device's queues, with toasts for the outcome of their entries. */
export function pageQueues(): DeviceQueues {
  const work = deviceQueues()
  if (!listening) holdWhileUnsent()
  listening ??= work.onQueueEvent((event) => {
    if (event.about === 'change') toastChange(event.event)
    else if (event.about === 'upload') toastUpload(event.event)
    else signedOut(false)
  })
  return work
}

/** Entries of this page without an answer yet, by `seq`: the user is waiting for it. */
const watched = new Set<number>()
/** Uploads that were added later belong to this page load. */
const openedAt = Date.now()

export const watchFor = (seq: number): void => void watched.add(seq)

function toastChange({ kind, entry }: OutboxEvent): void {
  const isWatched = watched.delete(entry.seq)
  switch (kind) {
    case 'done':
      if (entry.op !== 'edit') refreshBins()
      return toastIfVisible({
        title: doneTitle(entry),
        action: undoDeletion(entry, true),
      })
    case 'retrying':
      return isWatched
        ? toastIfVisible({
            title: usesMemory() ? outboxTexts.savedInMemory : outboxTexts.savedHere,
            action: undoDeletion(entry, false),
          })
        : undefined
    case 'blocked_auth':
      return signedOut(isWatched)
    case 'conflict':
    case 'rejected':
      return isWatched ? toastIfVisible(failedChange(entry)) : undefined
  }
}

function toastUpload({ kind, job }: UploadJobEvent): void {
  if (kind === 'blocked_auth') return signedOut(job.createdAt >= openedAt)
  if (job.replace) {
    const { sentence = '' } = job.lastError ?? {}
    // The person may have edited it on a page without the upload panel, which has the buttons.
    if (askedAnswer(job))
      toastIfVisible({ ...uploadTexts.failed(uploadQueueTexts.decideInPanel(sentence)), kind: 'destructive' })
    else if (kind === 'done') toastIfVisible({ title: teachingTexts.updated })
    else
      toastIfVisible({
        ...(kind === 'timeout' ? uploadTexts.timeout : failedChange({ op: 'edit' })),
        kind: 'destructive',
      })
    return
  }
  switch (kind) {
    case 'done':
      return toastIfVisible(
        job.teaching ? uploadedToast(job.teaching) : { ...uploadTexts.completedUnseen, kind: 'default' },
      )
    case 'duplicate':
      return toastIfVisible({ ...uploadTexts.duplicate, kind: 'destructive' })
    case 'rejected':
      return toastIfVisible({ ...uploadTexts.failed(job.lastError?.sentence ?? ''), kind: 'destructive' })
    case 'timeout':
      return toastIfVisible({ ...uploadTexts.timeout, kind: 'destructive' })
  }
}

/** Every tab receives the event; only the visible one shows the toast. */
function toastIfVisible(toast: ToastMessage): void {
  if (document.visibilityState === 'visible') showToast(toast)
}

const doneTitle = ({ kind, op }: OutboxEntry): string => {
  const { updated, deleted } = teachingTexts
  if (kind !== 'series') return { edit: updated, delete: deleted, restore: binTexts.restored }[op]
  const { created, updated: changed, deleted: removed, restored } = seriesTexts
  return { create: created, edit: changed, delete: removed, restore: restored }[op]
}

function failedChange({ kind, op }: Pick<OutboxEntry, 'kind' | 'op'>): ToastMessage {
  const texts =
    kind === 'series'
      ? [seriesTexts.saveFailed, seriesTexts.deleteFailed]
      : [teachingTexts.updateFailed, teachingTexts.deleteFailed]
  const description = op === 'delete' ? texts[1] : texts[0]
  return { title: teachingTexts.errorTitle, ...(description && { description }), kind: 'destructive' }
}

const uploadedToast = (teaching: Pick<Teaching, 'title' | 'scriptureReference'>): ToastMessage => ({
  title: uploadTexts.uploaded,
  description: shownTitle(teaching),
  displayMs: uploadedToastMs,
})

/**
 * The session ended; queued work stays. The toast and the redirect to the sign-in are shown if the user just saved
 * something and this page has no unfinished work; otherwise the page itself links to the sign-in.
 */
function signedOut(isWatched: boolean): void {
  if (isWatched && document.visibilityState === 'visible' && !isPageHeld()) {
    showToast({ ...authTexts.unauthorized, kind: 'destructive' })
    setTimeout(() => location.assign(signInAddress()), signInRedirectMs)
    return
  }
  void queryClient.invalidateQueries({ queryKey: [auth.currentUser.path] })
}

/** In memory, an unsent change or recording is lost when the page closes, so the browser asks before the page is left. */
function holdWhileUnsent(): void {
  let isWatching = false
  onMemoryUse(() => {
    if (isWatching) return
    isWatching = true
    let release: (() => void) | undefined
    watch(countUnsent, (count) => {
      if (count > 0 && !release) void holdWhile(() => new Promise<void>((resolve) => (release = resolve)))
      if (count > 0) return
      release?.()
      release = undefined
    })
  })
}

async function countUnsent(): Promise<number> {
  const entries = await appDatabase().outbox.count()
  const jobs = await uploadDatabase()
    .jobs.filter(({ state }) => state !== 'done' && state !== 'lost')
    .count()
  return entries + jobs
}

/**
 * The Undo of a deletion's toast. If the server acknowledged the deletion, Undo restores the row at once; if its answer was
 * lost, the outbox withdraws the deletion and repeats the request until the server answers.
 */
export function undoDeletion(entry: OutboxEntry, isDone: boolean): ToastMessage['action'] {
  if (entry.op !== 'delete') return undefined
  return { label: 'Undo', onPress: () => void undo(entry, isDone) }
}

/** Refetches the bins if a page shows them. */
const refreshBins = (): void =>
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
