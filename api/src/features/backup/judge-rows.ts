import { z } from 'zod'
import { role } from '@fellowship/schema/auth/auth.schema'
import { authLimits } from '@fellowship/schema/auth/auth.limits'
import { sound } from '@fellowship/schema/copies/sound'
import { isElderPhoto } from '@fellowship/schema/elders/elder-photo'
import { newElder } from '@fellowship/schema/elders/elders.schema'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { teachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { parsedJson } from '../../machine/json.ts'
import type { DatabaseDump } from './manifest.ts'
import { RestoreRefusal } from './restore-refusal.ts'

type DumpRow = DatabaseDump['tables'][string][number]

/**
 * Judges the rows of a backup as the doors of the product judge input: a file that was changed by hand must not bring in
 * what nobody could have entered.
 *
 * @throws RestoreRefusal naming the first row that is refused, and why
 */
export function judgeRows({ tables }: DatabaseDump): void {
  for (const [table, judge] of Object.entries(judges)) {
    for (const row of tables[table] ?? []) {
      const wrong = judge(row)
      if (wrong === undefined) continue
      throw new RestoreRefusal(
        `database.json holds a row that this product would not accept: ${table} ${String(row['id'] ?? row['sha256'])}, ${wrong}. ` +
          'The backup was changed since it was made, or made elsewhere: take another one.',
      )
    }
  }
}

const judges: Record<string, (row: DumpRow) => string | undefined> = {
  teachings: (row) =>
    firstIssue(teachingFields.safeParse(textOf(camelCased(row)))) ?? firstIssue(recording.safeParse(row)),
  recording_copies: (row) => firstIssue(copy.safeParse(row)),
  trimmed_recordings: (row) => firstIssue(untouched.safeParse(row)),
  elders: (row) => firstIssue(elder.safeParse(camelCased(row))),
  users: (row) => firstIssue(user.safeParse(row)),
}

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
  imageUrl: z.string().refine(isElderPhoto, { error: 'is no address of a photo here' }).nullable(),
})

const user = z.object({
  email: z.email().max(authLimits.email),
  name: z.string().max(authLimits.name),
  role,
  password: z.string().min(1).max(authLimits.passwordColumn),
})

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
