import type { Context } from '../../context.ts'
import { runWhenDue } from '../../db/locks.ts'
import { recordingHealth } from '../audio/audio.ts'
import { mailAdministrators } from '../backup/backup.ts'
import { listInbox } from '../inbox/inbox.ts'
import { healthRow, libraryBegan } from './system.sql.ts'
import { backupWarningDays } from '@fellowship/schema/backup/backup.limits'
import { church } from '@fellowship/schema/church'
import { counted, gigabytes } from '@fellowship/schema/counted'
import { daysSince } from '@fellowship/schema/dates'
import { inboxDays } from '@fellowship/schema/inbox/inbox.contract'
import { faultyWords, type RecordingHealth } from '@fellowship/schema/system/health-words'

/**
 * Mails the administrators problems that need a person: a backup that is too old, a disk that is nearly full, a damaged recording,
 * a recording that waits in the Inbox. Each at most once a day; if a mail fails, it is sent again. Without
 * SMTP_URL they would reach no one, so none are written.
 */
export async function sendAlerts(context: Context): Promise<void> {
  if (context.config.mail.smtpUrl === undefined) return
  for (const alert of await presentAlerts(context)) {
    await runWhenDue(context, { name: `alert ${alert.id}`, days: alertEveryDays }, () => mail(context, alert))
  }
}

async function presentAlerts(context: Context): Promise<Alert[]> {
  const { sql, storage, clock } = context
  const now = clock.now()
  const { lastBackup } = await healthRow(sql, now)
  const { faulty } = await recordingHealth(context)
  return alertsOf({
    now,
    lastBackup,
    libraryBegan: await libraryBegan(sql),
    freeBytes: await storage.freeBytes(),
    totalBytes: await storage.totalBytes(),
    faulty,
    inbox: (await listInbox(context)).map(({ arrivedAt }) => new Date(arrivedAt)),
  })
}

async function mail(context: Context, { id, sentence, advice }: Alert): Promise<void> {
  const sent = await mailAdministrators(context, {
    subject: alertSubject(id),
    paragraphs: [sentence, advice, alertRepeats],
  })
  if (sent === 0) throw new Error(`The alert "${id}" could be sent to nobody.`)
}

/** Measurements of the server that alerts are made from. */
export interface AlertFacts {
  readonly now: Date
  /** When the newest complete backup was taken. */
  readonly lastBackup: Date | null
  /** When the site got its first account; null while the library is empty. */
  readonly libraryBegan: Date | null
  readonly freeBytes: number
  readonly totalBytes: number
  readonly faulty: RecordingHealth['faulty']
  /** When each recording arrived that waits in the Inbox. */
  readonly inbox: readonly Date[]
}

/** A problem that administrators get a mail about. */
interface Alert {
  readonly id: 'backup' | 'disk' | 'inbox' | 'recordings'
  readonly sentence: string
  readonly advice: string
}

/** A disk with less than this part free is nearly full. */
const alertFreeShare = 0.1
/** Days that a recording may wait in the Inbox before administrators get a mail. */
const alertInboxDays = 7
/** Days until the same alert is sent again. */
const alertEveryDays = 1

/** The alerts that are due now. */
export const alertsOf = (facts: AlertFacts): Alert[] =>
  [backupAlert(facts), diskAlert(facts), recordingsAlert(facts), inboxAlert(facts)].filter(
    (alert) => alert !== undefined,
  )

/** The subject of the mail about it. */
const alertSubject = (id: Alert['id']) => `${church().name}: ${alertSubjects[id]}`

const alertSubjects = {
  backup: 'the backup is too old',
  disk: 'the disk is nearly full',
  inbox: 'a recording waits in the Inbox',
  recordings: 'a recording has to be sent again',
} as const

/** The end of every such mail. */
const alertRepeats =
  'This mail comes once a day until that is done. Administration, System Info has the present state.'

function backupAlert({ now, lastBackup, libraryBegan }: AlertFacts): Alert | undefined {
  // A new library needs no backup in its first days.
  const since = lastBackup ?? libraryBegan
  if (!since) return undefined
  const days = daysSince(since, now, church().timeZone)
  if (days <= backupWarningDays) return undefined
  const sentence = lastBackup
    ? `The last complete backup is ${days} days old.`
    : 'There is no complete backup yet.'
  const advice =
    'Open Administration, Backup, make one, and keep it somewhere else than the server. A backup every week can be ' +
    'set up on the server with BACKUP_DIR.'
  return { id: 'backup', sentence, advice }
}

function diskAlert({ freeBytes, totalBytes }: AlertFacts): Alert | undefined {
  if (freeBytes >= totalBytes * alertFreeShare) return undefined
  const percent = Math.floor((freeBytes / totalBytes) * 100)
  return {
    id: 'disk',
    sentence: `${gigabytes(freeBytes)} of ${gigabytes(totalBytes)} are free for recordings: ${percent} %.`,
    advice:
      'Delete orphaned files under Administration, System Info, or ask whoever runs the server for a larger disk. ' +
      'On a full disk people can still read and listen, but nothing can be uploaded.',
  }
}

function recordingsAlert({ faulty }: AlertFacts): Alert | undefined {
  return faulty.length === 0 ? undefined : { id: 'recordings', ...faultyWords(faulty) }
}

function inboxAlert({ now, inbox }: AlertFacts): Alert | undefined {
  const days = inbox.map((arrived) => daysSince(arrived, now, church().timeZone))
  const late = days.filter((each) => each > alertInboxDays)
  if (late.length === 0) return undefined
  const waits = late.length === 1 ? 'has waited' : 'have waited'
  return {
    id: 'inbox',
    sentence: `${counted(late.length, 'recording')} ${waits} in the Inbox for more than ${alertInboxDays} days, the oldest for ${Math.max(...late)}.`,
    advice: `Open Administration, SFTP Automation, correct and publish each of them, or delete it. After ${inboxDays} days it is deleted by itself.`,
  }
}
