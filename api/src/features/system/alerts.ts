import {
  alertEveryDays,
  alertRepeats,
  alertsOf,
  alertSubject,
  type Alert,
} from '@fellowship/schema/system/alerts'
import type { Context } from '../../context.ts'
import { runWhenDue } from '../../db/locks.ts'
import { recordingHealth } from '../audio/audio.ts'
import { mailAdministrators } from '../backup/backup.ts'
import { listInbox } from '../inbox/inbox.ts'
import { healthRow, libraryBegan } from './system.sql.ts'

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
    subject: alertSubject[id],
    paragraphs: [sentence, advice, alertRepeats],
  })
  if (sent === 0) throw new Error(`The alert "${id}" could be sent to nobody.`)
}
