import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { counted } from '@fellowship/schema/counted'
import { church } from '@fellowship/schema/church'
import type { AnswerOf } from '@fellowship/schema/endpoint'
import { dueWords } from '@fellowship/schema/system/age-sweeps'
import { healthLines } from '@fellowship/schema/system/health-words'
import type { system } from '@fellowship/schema/system/system.contract'
import type { Context } from '../../context.ts'
import { letSweepsGoOn, sweepState } from '../../db/age-sweeps.ts'
import { writeAudit, type Actor } from '../../db/audit-log.ts'
import { recordingHealth } from '../audio/audio.ts'
import { copyStatus } from '../copies/copies.ts'
import { sftpState } from '../sftp/sftp.ts'
import { listInbox } from '../inbox/inbox.ts'
import { healthRow } from './system.sql.ts'

/**
 * Whether this process can serve: not draining, PostgreSQL and the bucket answer within two seconds, and there is room for a
 * recording. With a full disk, or without the bucket, people still read and sign in.
 */
export async function isReady(context: Context): Promise<AnswerOf<typeof system.ready>['status']> {
  const { sql, storage, lifecycle } = context
  if (lifecycle.draining) return 'draining'
  const answered = sql`select 1`.then(
    () => true,
    () => false,
  )
  if (!(await Promise.race([answered, after(2000)]))) return 'unavailable'
  if ((await storage.freeBytes()) === 0) return 'disk_full'
  return (await Promise.race([storage.isReachable(), after(2000)])) ? 'ok' : 'bucket_unreachable'
}

const after = (ms: number) => new Promise<false>((resolve) => setTimeout(() => resolve(false), ms).unref())

/** Version, uptime, memory and disk, and the health list. */
export async function systemInfo(context: Context): Promise<AnswerOf<typeof system.info>> {
  const { config, sql, storage, clock, mail } = context
  const started = performance.now()
  const { lastTeaching, lastBackup, version } = await healthRow(sql, clock.now())
  const databaseMs = performance.now() - started
  const sftp = await sftpState(context)
  const { rss, external } = process.memoryUsage()
  return {
    environment: config.environment,
    version: config.commit ? `${church().versionLabel} (${config.commit})` : church().versionLabel,
    storage: await placeOfFiles(storage),
    nodeVersion: process.version,
    uptime: process.uptime(),
    memoryUsage: { rss, external },
    health: healthLines({
      now: clock.now(),
      lastTeaching,
      lastBackup,
      sweeps: await sweepState(sql),
      recordings: await recordingHealth(context),
      copies: await copyStatus(context),
      freeBytes: await storage.freeBytes(),
      databaseMs,
      databaseVersion: version,
      smtp: config.mail.smtpUrl !== undefined,
      mailFailure: mail.failure(),
      outgoing: await outgoingMails(config.dataDir),
      weeklyBackup: config.weeklyBackup.folder !== undefined || config.backupS3 !== undefined,
      sftp: {
        failure: sftp.available ? null : sftp.message,
        running: sftp.running,
        nextWindow: new Date(sftp.nextWindow),
        inbox: (await listInbox(context)).length,
      },
    }),
  }
}

/** Confirms the clock, and resumes removals by age that had stopped. */
export async function goOnSweeping({ sql, clock }: Context, actor: Actor): Promise<void> {
  await sql.begin(async (tx) => {
    const { held, jumpedBy } = await sweepState(tx)
    await letSweepsGoOn(tx)
    const subject = held.map(dueWords).join(', ') || 'nothing due'
    await writeAudit(tx, { actor, action: 'sweep.continued', subject, details: { jumpedBy } }, clock.now())
  })
}

/** 'Local disk', or with a bucket: 'Bucket recordings at s3.example.org; 3 files are still at: Local disk' */
async function placeOfFiles(storage: Context['storage']): Promise<string> {
  const rest = await storage.elsewhere()
  if (!rest) return storage.place
  const files = `${counted(rest.files, 'file')} ${rest.files === 1 ? 'is' : 'are'}`
  return `${storage.place}; ${files} still at: ${rest.place}`
}

/** Mails that were written to a folder because there is no mail server. */
async function outgoingMails(dataDir: string): Promise<number> {
  const names = await readdir(path.join(dataDir, 'outgoing')).catch(() => [])
  return names.filter((name) => name.endsWith('.eml')).length
}
