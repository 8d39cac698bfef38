import type { SeriesText } from '@fellowship/schema/series/series-words'
import type { Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { watch } from '@fellowship/sync/client/engine/live'
import { readShownOutbox } from '@fellowship/sync/client/outbox/outbox'
import {
  appendNewSeries,
  appendSeriesDelete,
  appendSeriesEdit,
  applySeriesOutbox,
} from '@fellowship/sync/client/outbox/series-entries'
import { byTitle, readSeries } from '@fellowship/sync/client/replica/public.store'
import { pageQueues, watchFor } from '../sync/page-queues.ts'
import { showToast } from '../../ui/toast.ts'

/** Reports the series as a user sees them, by title, at once and after every change; undefined before the first pull. */
export const watchSeries = (
  userId: number | undefined,
  onChange: (series: readonly Series[] | undefined) => void,
): (() => void) => watch(() => readShownSeries(userId), onChange)

async function readShownSeries(userId: number | undefined): Promise<readonly Series[] | undefined> {
  const [rows, entries] = await Promise.all([readSeries(), readShownOutbox(appDatabase(), userId)])
  return rows && applySeriesOutbox(rows, entries).sort(byTitle)
}

/** Saves a series in the outbox: a new one, or an edit of the shown one. Returns its uid. */
export async function saveSeries(
  shown: Series | undefined,
  text: SeriesText,
  userId: number,
): Promise<string> {
  pageQueues().setUser(userId)
  const author = { userId, now: Date.now() }
  const db = appDatabase()
  const entry = shown
    ? await appendSeriesEdit(db, shown, text, author)
    : await appendNewSeries(db, text, author)
  if (entry) watchFor(entry.seq)
  else showToast({ title: seriesTexts.updated })
  return (entry ?? shown)!.uid
}

export async function saveSeriesDeletion(shown: Series, userId: number): Promise<void> {
  pageQueues().setUser(userId)
  const entry = await appendSeriesDelete(appDatabase(), shown, { userId, now: Date.now() })
  watchFor(entry.seq)
}
