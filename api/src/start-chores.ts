import { tombstoneDays } from '@fellowship/schema/sync/sync.limits'
import type { Context } from './context.ts'
import { purgeOldRecordings, walkRecordings } from './features/audio/audio.ts'
import { forgetUnknownSignIns } from './features/auth/auth.ts'
import { dailyBackup, weeklyBackup } from './features/backup/backup.ts'
import { checkCopies, removeUnusedCopies, removeUnusedUntouched } from './features/copies/copies.ts'
import { sweepPhotos } from './features/elders/elders.ts'
import { sendAlerts } from './features/system/alerts.ts'
import { purgeSeriesBin } from './features/series/series.ts'
import { purgeTombstones } from './features/sync/sync.ts'
import { sweepInbox } from './features/inbox/inbox.ts'
import { sweepUploads } from './features/uploads/upload-sweep.ts'
import { keepReserve } from './machine/storage/disk-reserve.ts'
import { purgeMutations } from './features/teachings/teachings.ts'

/**
 * Runs the periodic jobs: a minute after the start, then hourly. Returns the function that stops them.
 *
 * @param watchClock notes jumps of the database's clock
 */
export function startChores(context: Context, watchClock: () => Promise<void>): () => void {
  const { clock, log, sessions, sql, storage } = context
  const chores: Record<string, () => Promise<unknown>> = {
    'expired sessions': () => sessions.purgeExpired(),
    'sign-in attempts at unknown addresses': () => forgetUnknownSignIns(sql, clock.now()),
    'abandoned uploads': () => sweepUploads(context),
    'half objects in the bucket': () => storage.tidy(new Date(clock.now().getTime() - 24 * 60 * 60_000)),
    'the Inbox': () => sweepInbox(context),
    'the daily copy of the database': () => dailyBackup(context),
    'the weekly backup': () => weeklyBackup(context),
    'the walk through the recordings': () => walkRecordings(context),
    'old recordings': async () => {
      await purgeOldRecordings(context)
      await removeUnusedCopies(context)
      await removeUnusedUntouched(context)
    },
    'old series': () => purgeSeriesBin(context),
    'the files of small copies': () => checkCopies(context),
    'alerts by mail': () => sendAlerts(context),
    'unused photos': () => sweepPhotos(context),
    'old deletions': () => purgeTombstones(sql, tombstoneDays),
    'answers to old changes': () => purgeMutations(sql, tombstoneDays),
  }
  const run = async () => {
    // Removals by age look at its result.
    await watchClock().catch((error: unknown) => log.error({ err: error }, 'the clock could not be checked'))
    for (const [name, chore] of Object.entries(chores)) {
      chore().catch((error: unknown) => log.error({ err: error }, `chore failed: ${name}`))
    }
  }
  const first = setTimeout(() => void run(), 60_000)
  const hourly = setInterval(() => void run(), 60 * 60_000)
  const stopReserve = keepReserve(context.config.dataDir, log)
  return () => {
    stopReserve()
    clearTimeout(first)
    clearInterval(hourly)
  }
}
