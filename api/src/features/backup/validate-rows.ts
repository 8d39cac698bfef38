import { z } from 'zod'
import { role } from '@fellowship/schema/auth/auth.schema'
import { authLimits } from '@fellowship/schema/auth/auth.limits'
import { sound } from '@fellowship/sound/measure/sound-file'
import { isElderPhoto } from '@fellowship/schema/elders/elder-photo'
import { newElder } from '@fellowship/schema/elders/elders.schema'
import { handoutList } from '@fellowship/schema/handouts/handouts.schema'
import { keyOfChange, listeningChange } from '@fellowship/schema/listening/listening.schema'
import { passageLimits } from '@fellowship/schema/passages/passages.limits'
import { canonicalReference } from '@fellowship/schema/passages/reference'
import { newEvent, timesFault } from '@fellowship/schema/events/events.schema'
import { daysFault, newNotice } from '@fellowship/schema/notices/notices.contract'
import { plainLine, plainLines } from '@fellowship/schema/plain-text'
import { pushEvery, pushSubscription } from '@fellowship/schema/push/push.contract'
import { slugLike } from '@fellowship/schema/text-folding'
import { newSeries } from '@fellowship/schema/series/series.schema'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { teachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { fixedPages, isFixed, newPage } from '@fellowship/schema/written-pages/written-pages.schema'
import { pageTexts } from '@fellowship/schema/written-pages/written-pages.texts'
import { speechLimits } from '@fellowship/schema/speech/speech.limits'
import { languageTag, sentences } from '@fellowship/schema/transcripts/transcripts.schema'
import { isReserved } from '@fellowship/schema/routes'
import { siteFields } from '@fellowship/schema/site/site.contract'
import { importFacts, importOptions } from '@fellowship/schema/imports/imports.contract'
import { incomingTeaching } from '@fellowship/schema/imports/incoming-teaching'
import { parsedJson } from '../../machine/json.ts'
import { recordingAddress } from '../audio/audio.ts'
import { columnFault } from './column-rules.ts'
import { type DumpRow, RestoreRefusal } from './manifest.ts'
import type { Column } from './restore.sql.ts'

/**
 * Checks a row of a backup by the declarations of its columns, then as every call checks its input: a file that was changed by
 * hand must not bring in values that the product would refuse.
 *
 * @returns the fault; undefined if there is none
 */
export const rowFault = (table: string, columns: readonly Column[], row: DumpRow): string | undefined =>
  columnFault(columns, row) ?? validators[table]?.(row)

/** 'teachings 7, title: …' */
export const faultOf = (table: string, row: DumpRow, fault: string): string =>
  `${table} ${String(row['id'] ?? row['first_id'] ?? row['sha256'] ?? row['uid'] ?? row['key'])}, ${fault}`

/** The refusal of a row, which it names. */
export const refusedRow = (table: string, row: DumpRow, fault: string): RestoreRefusal =>
  new RestoreRefusal(
    `database.json holds a row that this product would not accept: ${faultOf(table, row, fault)}. ` +
      'The backup was changed since it was made, or made elsewhere: take another one.',
  )

const validators: Record<string, (row: DumpRow) => string | undefined> = {
  teachings: (row) =>
    firstIssue(teachingFields.safeParse(textOf(camelCased(row)))) ?? firstIssue(recording.safeParse(row)),
  recording_copies: (row) => firstIssue(copy.safeParse(row)),
  trimmed_recordings: (row) => firstIssue(untouched.safeParse(row)),
  elders: (row) => firstIssue(elder.safeParse(camelCased(row))),
  series: (row) => firstIssue(series.safeParse(camelCased(row))),
  events: (row) => firstIssue(event.safeParse(row)),
  notices: (row) => firstIssue(notice.safeParse(row)),
  imports: (row) => firstIssue(importRow.safeParse(row)),
  import_items: (row) => firstIssue(importItem.safeParse(row)),
  old_addresses: (row) => firstIssue(oldAddress.safeParse(row)),
  pages: (row) => firstIssue(page.safeParse(camelCased(row))),
  transcripts: (row) => firstIssue(transcript.safeParse(row)),
  speech_settings: (row) => firstIssue(speechChoices.safeParse(row)),
  users: (row) => firstIssue(user.safeParse(row)),
  passages: (row) => firstIssue(passage.safeParse(row)),
  podcast: (row) => firstIssue(podcast.safeParse(row)),
  sftp_settings: (row) => firstIssue(sftpSettings.safeParse(row)),
  audio_moved: (row) => firstIssue(movedAudio.safeParse(row)),
  audit_log: (row) => firstIssue(auditLine.safeParse(row)),
  audit_archive: (row) => firstIssue(auditPortion.safeParse(row)),
  listening_accounts: (row) => firstIssue(listeningAccount.safeParse(row)),
  listening_rows: (row) => firstIssue(listeningRow.safeParse(row)),
  push_keys: (row) => firstIssue(pushKeys.safeParse(row)),
  push_subscriptions: (row) => firstIssue(subscription.safeParse(row)),
  visit_details: (row) => firstIssue(siteFields.partial().safeParse(fieldsOfSite(row))),
}

/** The tables whose rows are validated: all tables of a backup. */
export const validatedTables: readonly string[] = Object.keys(validators)

const uid = z.uuid()

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
  (recordingAddress.exec(url ?? '')?.[2] ?? null) === sha256
const notItsAddress = { path: ['audio_url'], error: 'is not the address of its recording' }

// Absent if the backup is of an earlier release.
const recording = recordingColumns
  .extend({ uid, handouts: handoutList.nullish() })
  .refine(isItsAddress, notItsAddress)
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

const speechChoices = z.object({ paused: z.boolean(), words: z.string().max(speechLimits.words) })

/** The slug is part of an address. */
const series = newSeries.extend({
  uid,
  slug: z.string().max(seriesLimits.slug).regex(slugLike, { error: 'is no part of an address' }),
  // Absent if the backup is of an earlier release.
  imageUrl: z.string().refine(isElderPhoto, { error: 'is no address of a picture here' }).nullish(),
})

const event = newEvent.extend({ uid }).check(({ value, issues }) => {
  const message = timesFault(value)
  if (message) issues.push({ code: 'custom', path: ['ends'], message, input: value.ends })
})

const notice = newNotice.extend({ uid }).check(({ value, issues }) => {
  const message = daysFault(value)
  if (message) issues.push({ code: 'custom', path: ['until'], message, input: value.until })
})

const importRow = z.object({ id: uid, options: importOptions, facts: importFacts })
const importItem = z.object({ id: uid, import_id: uid, teaching: uid.nullable(), incoming: incomingTeaching })
const oldAddress = z.object({
  address: z.string().startsWith('/', { error: 'is no path' }),
  teaching: uid.nullable(),
  import_id: uid,
})

const transcript = z.object({ teaching: uid, language: languageTag, sentences, by_name: plainLine('Name') })

/** The slug is an address. */
const page = newPage
  .extend({ uid, parts: z.looseObject({}).nullish(), imageUrl: series.shape.imageUrl })
  .check(({ value, issues }) => {
    const { slug, parts } = value
    const fault = isFixed(slug)
      ? parts && firstIssue(fixedPages[slug].partial().safeParse(parts))
      : parts
        ? pageTexts.noParts
        : isReserved(slug) && pageTexts.reserved(slug)
    if (fault) issues.push({ code: 'custom', path: [parts ? 'parts' : 'slug'], message: fault, input: value })
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

const auditPortion = z.object({ lines: z.array(auditLine.extend({ id: z.number(), at: z.string() })) })

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

/** The texts for a first visit, which every release has, and the other fields, which a backup of an earlier one lacks. */
const fieldsOfSite = ({ identity, ...texts }: DumpRow) => ({
  ...(identity as object | undefined),
  ...camelCased(texts),
})

/** Columns as members: image_url becomes imageUrl. */
const camelCased = (row: DumpRow): Record<string, never> =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()),
      value as never,
    ]),
  )
