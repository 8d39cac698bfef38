import { tombstoneDays } from '@fellowship/schema/sync/sync.limits'
import type { ClusterNode } from './cluster/cluster.ts'
import type { Context } from './context.ts'
import { forgetCounted } from './db/counted-attempts.ts'
import { logLoss } from './db/log-loss.ts'
import { archiveAudit } from './features/audit/audit.ts'
import { purgeOldRecordings, removeBackedUpOriginals, walkRecordings } from './features/audio/audio.ts'
import { forgetUnknownSignIns } from './features/auth/auth.ts'
import { dailyBackup, weeklyBackup } from './features/backup/backup.ts'
import {
  checkCopies,
  removeUnusedCopies,
  removeUnusedUntouched,
  walkCopies,
} from './features/copies/copies.ts'
import { sweepHandouts } from './features/handouts/handouts.ts'
import { sweepPictures } from './features/pictures/pictures.ts'
import { sendAlerts } from './features/system/alerts.ts'
import { eventRows } from './features/events/events.ts'
import { noticeRows } from './features/notices/notices.ts'
import { pageRows } from './features/written-pages/written-pages.ts'
import { purgeSeriesBin } from './features/series/series.ts'
import { purgeTombstones } from './features/sync/sync.ts'
import { sweepInbox } from './features/inbox/inbox.ts'
import { clearSettlements, sweepUploads } from './features/uploads/uploads.ts'
import { keepReserve } from './machine/storage/disk-reserve.ts'
import { forgetDropped, purgeTranscripts } from './features/transcripts/transcripts.ts'
import { purgeMutations } from './features/teachings/teachings.ts'

/**
 * Runs the periodic jobs: a minute after the start, then hourly. Of several processes on one database, one runs those that
 * are about the database or the bucket; when it ends, another one begins with them at once.
 *
 * @param watchClock notes jumps of the database's clock
 * @returns stops them; `lead` is to be called often, and begins with the jobs for all if this process is to run them
 */
export function startChores(
  context: Context,
  { watchClock, node }: { watchClock: () => Promise<void>; node: ClusterNode },
): { lead: () => void; stop: () => void } {
  const { log } = context
  let isLeader = false
  let isDue = false
  const start = (chores: Chores) => {
    for (const [name, chore] of Object.entries(chores)) {
      chore().catch((error: unknown) => logLoss(context, error, `chore failed: ${name}`, 'error'))
    }
  }
  const run = async () => {
    isDue = true
    // Removals by age look at its result.
    await watchClock().catch((error: unknown) =>
      logLoss(context, error, 'the clock could not be checked', 'error'),
    )
    start(choresOfEach(context))
    isLeader = await node.leads('schedule')
    if (isLeader) start(choresForAll(context, node))
  }
  const lead = async () => {
    const wasLeader = isLeader
    isLeader = await node.leads('schedule')
    if (isLeader && !wasLeader && isDue) start(choresForAll(context, node))
  }
  const logFailure = (error: unknown) => logLoss(context, error, 'the chores could not be started', 'error')
  const first = setTimeout(() => void run().catch(logFailure), 60_000)
  const hourly = setInterval(() => void run().catch(logFailure), 60 * 60_000)
  const stopReserve = keepReserve(context.config.dataDir, log)
  return {
    lead: () => void lead().catch(logFailure),
    stop() {
      stopReserve()
      clearTimeout(first)
      clearInterval(hourly)
    },
  }
}

type Chores = Record<string, () => Promise<unknown>>

/** Those about the data folder and the disk of this process. */
const choresOfEach = (context: Context): Chores => ({
  'abandoned uploads': () => sweepUploads(context),
  'the Inbox': () => sweepInbox(context),
  'the mail server': () => context.mail.check(),
  'alerts by mail': () => sendAlerts(context),
})

function choresForAll(context: Context, node: ClusterNode): Chores {
  const { clock, sessions, sql, storage } = context
  return {
    'expired sessions': () => sessions.purgeExpired(),
    'sign-in attempts at unknown addresses': () => forgetUnknownSignIns(sql, clock.now()),
    'files without rows in the bucket': () => clearSettlements(context),
    'half objects in the bucket': () => storage.tidy(new Date(clock.now().getTime() - 24 * 60 * 60_000)),
    'the daily copy of the database': () => dailyBackup(context),
    'the weekly backup': () => weeklyBackup(context),
    'original recordings': () => removeBackedUpOriginals(context),
    'old lines of the activity log': () => archiveAudit(context),
    'the walk through the recordings': () => walkRecordings(context),
    'old recordings': async () => {
      await purgeOldRecordings(context)
      await removeUnusedCopies(context)
      await removeUnusedUntouched(context)
    },
    'old series': () => purgeSeriesBin(context),
    'old events': () => eventRows.purge(sql),
    'old notices': () => noticeRows.purge(sql),
    'old pages': () => pageRows.purge(sql),
    'old texts': () => purgeTranscripts(context),
    'names of dropped files': () => forgetDropped(context),
    'the files of small copies': () => checkCopies(context),
    'the walk through the small copies': () => walkCopies(context),
    'unused photos': () => sweepPictures(context),
    'unused handouts': () => sweepHandouts(context),
    'old deletions': () => purgeTombstones(sql, tombstoneDays),
    'answers to old changes': () => purgeMutations(sql, tombstoneDays),
    'counted attempts': () => forgetCounted(sql, clock.now()),
    'processes that ended': () => node.forgetEndedProcesses(),
  }
}
