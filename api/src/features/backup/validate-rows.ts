import { z } from 'zod'
import { role } from '@fellowship/schema/auth/auth.schema'
import { authLimits } from '@fellowship/schema/auth/auth.limits'
import { sound } from '@fellowship/sound/measure/sound-file'
import { isElderPhoto } from '@fellowship/schema/elders/elder-photo'
import { newElder } from '@fellowship/schema/elders/elders.schema'
import { keyOfChange, listeningChange } from '@fellowship/schema/listening/listening.schema'
import { passageLimits } from '@fellowship/schema/passages/passages.limits'
import { canonicalReference } from '@fellowship/schema/passages/reference'
import { plainLine, plainLines } from '@fellowship/schema/plain-text'
import { pushEvery, pushSubscription } from '@fellowship/schema/push/push.contract'
import { slugLike } from '@fellowship/schema/series/series-address'
import { newSeries } from '@fellowship/schema/series/series.schema'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { teachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { visitDetails } from '@fellowship/schema/visit/visit.contract'
import { parsedJson } from '../../machine/json.ts'
import { type DatabaseDump, RestoreRefusal } from './manifest.ts'

type DumpRow = DatabaseDump['tables'][string][number]

/**
 * Validates the rows of a backup as every call validates its input: a file that was changed by hand must not bring in
 * values that the product would refuse.
 *
 * @throws RestoreRefusal with the first refused row and the reason
 */
export function validateRows({ tables }: DatabaseDump): void {
  for (const [table, validate] of Object.entries(validators)) {
    for (const row of tables[table] ?? []) {
      const wrong = validate(row)
      if (wrong === undefined) continue
      throw new RestoreRefusal(
        `database.json holds a row that this product would not accept: ${table} ${String(row['id'] ?? row['sha256'] ?? row['uid'] ?? row['key'])}, ${wrong}. ` +
          'The backup was changed since it was made, or made elsewhere: take another one.',
      )
    }
  }
}

const validators: Record<string, (row: DumpRow) => string | undefined> = {
  teachings: (row) =>
    firstIssue(teachingFields.safeParse(textOf(camelCased(row)))) ?? firstIssue(recording.safeParse(row)),
  recording_copies: (row) => firstIssue(copy.safeParse(row)),
  trimmed_recordings: (row) => firstIssue(untouched.safeParse(row)),
  elders: (row) => firstIssue(elder.safeParse(camelCased(row))),
  series: (row) => firstIssue(series.safeParse(camelCased(row))),
  users: (row) => firstIssue(user.safeParse(row)),
  passages: (row) => firstIssue(passage.safeParse(row)),
  podcast: (row) => firstIssue(podcast.safeParse(row)),
  sftp_settings: (row) => firstIssue(sftpSettings.safeParse(row)),
  audio_moved: (row) => firstIssue(movedAudio.safeParse(row)),
  audit_log: (row) => firstIssue(auditLine.safeParse(row)),
  listening_accounts: (row) => firstIssue(listeningAccount.safeParse(row)),
  listening_rows: (row) => firstIssue(listeningRow.safeParse(row)),
  push_keys: (row) => firstIssue(pushKeys.safeParse(row)),
  push_subscriptions: (row) => firstIssue(subscription.safeParse(row)),
  visit_details: (row) => firstIssue(visitDetails.safeParse(camelCased(row))),
}

/** The tables whose rows are validated: all tables of a backup. */
export const validatedTables: readonly string[] = Object.keys(validators)

const uid = z.uuid()
const recordingAddress = /^\/audio\/([0-9a-f]{64})\.(?:mp3|wav|m4a)$/

const recordingColumns = z.object({
  audio_url: z.string().regex(recordingAddress, { error: 'is no address of a recording here' }).nullable(),
  audio_sha256: z.string().nullable(),
  audio_mime: z
    .string()
    .regex(/^audio\/[\w.+-]+$/)
    .nullable(),
  duration: z
    .string()
    .regex(/^[\d:]*$/)
    .nullable(),
})

const isItsAddress = ({ audio_url: url, audio_sha256: sha256 }: z.infer<typeof recordingColumns>) =>
  (recordingAddress.exec(url ?? '')?.[1] ?? null) === sha256
const notItsAddress = { path: ['audio_url'], error: 'is not the address of its recording' }

const recording = recordingColumns.extend({ uid }).refine(isItsAddress, notItsAddress)
const untouched = recordingColumns.refine(isItsAddress, notItsAddress)

const copy = z.object({
  sound: z
    .string()
    .nullable()
    .refine((text) => text === null || sound.safeParse(parsedJson(Buffer.from(text))).success, {
      error: 'is no waveform',
    }),
})

const elder = newElder.extend({
  uid,
  // As wide as the column: earlier releases moved elders beyond the highest order number.
  displayOrder: z.int32(),
  imageUrl: z.string().refine(isElderPhoto, { error: 'is no address of a photo here' }).nullable(),
})

/** The slug is part of an address. */
const series = newSeries.extend({
  uid,
  slug: z.string().max(seriesLimits.slug).regex(slugLike, { error: 'is no part of an address' }),
  // Absent if the backup is of an earlier release.
  imageUrl: z.string().refine(isElderPhoto, { error: 'is no address of a picture here' }).nullish(),
})

const user = z.object({
  // If ADMIN_EMAIL was set, it could be an address that sign-in refuses.
  email: z
    .string()
    .max(authLimits.email)
    .regex(/^[^\s@<>]+@[^\s@<>]+$/, { error: 'is no email address' }),
  name: z.string().max(authLimits.name),
  role,
  password: z.string().min(1).max(authLimits.passwordColumn),
})

/** The rule of the import of passages. */
const passage = z.object({
  uid,
  reference: z
    .string()
    .max(passageLimits.reference)
    .refine((text) => canonicalReference(text) === text, { error: 'is no reference to verses' }),
  text: plainLines('Text').min(1).max(passageLimits.text),
  translation: plainLine('Translation').min(1).max(passageLimits.translation),
  copyright_line: plainLine('Copyright line').min(1).max(passageLimits.copyrightLine),
})

const podcast = z.object({ guid: uid, feed_address: z.url({ protocol: /^https?$/ }).max(500) })

const sftpSettings = z.object({
  password_sealed: z.string().min(1).max(1000),
  port: z.int().min(0).max(65_535).nullable(),
  failure: z.string().max(500).nullable(),
})

const sha256 = z.string().regex(/^[0-9a-f]{64}$/)
const movedAudio = z.object({ old_sha256: sha256, new_sha256: sha256 })

/** Names and subjects are shown as plain text, whichever they are. */
const auditLine = z.object({
  actor: z.string().max(255),
  action: z
    .string()
    .max(100)
    .regex(/^[a-z]+\.[a-z_]+$/),
  subject: z.string().max(255).nullable(),
  details: z.record(z.string(), z.unknown()),
})

const listeningAccount = z.object({ enabled: z.boolean(), generation: uid, rev: z.int().min(0) })

const listeningRow = z
  .object({ kind: z.string(), key: uid, content: z.unknown() })
  .transform(({ kind, key, content }) => ({ key, change: { kind, row: content } }))
  .pipe(z.object({ key: uid, change: listeningChange }))
  .refine(({ key, change }) => keyOfChange(change) === key, { error: 'is another one’s', path: ['key'] })

const pushKeys = z.object({
  public_key: z.string().regex(/^B[\w-]{86}$/, { error: 'is no public key' }),
  private_key_sealed: z.string().min(1).max(500),
})

/** The rule for a device that subscribes. */
const subscription = z
  .object({ uid, every: pushEvery, endpoint: z.unknown(), p256dh: z.unknown(), auth: z.unknown() })
  .transform(({ endpoint, p256dh, auth }) => ({ endpoint, keys: { p256dh, auth } }))
  .pipe(pushSubscription)

function firstIssue(result: z.ZodSafeParseResult<unknown>): string | undefined {
  const issue = result.error?.issues[0]
  return issue && `${issue.path.join('.')}: ${issue.message}`
}

/** Columns as members: image_url becomes imageUrl. */
const camelCased = (row: DumpRow): Record<string, never> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value as never,
    ]),
  )
