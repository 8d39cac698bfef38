import { expect, test } from 'vitest'
import type { z } from 'zod'
import { authLimits } from '@fellowship/schema/auth/auth.limits'
import { elderLimits } from '@fellowship/schema/elders/elders.limits'
import { writtenElder } from '@fellowship/schema/elders/elders.schema'
import { eventLimits } from '@fellowship/schema/events/events.limits'
import { pageLimits } from '@fellowship/schema/written-pages/written-pages.limits'
import { writtenPage } from '@fellowship/schema/written-pages/written-pages.schema'
import { writtenEvent } from '@fellowship/schema/events/events.schema'
import { writtenNotice } from '@fellowship/schema/notices/notices.contract'
import { pushLimits } from '@fellowship/schema/push/push.limits'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import { writtenSeries } from '@fellowship/schema/series/series.schema'
import type { WrittenField } from '@fellowship/schema/sync/written-field'
import { teachingWords, wordNames } from '@fellowship/schema/teachings/teaching-words'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import { testDatabase } from '../testing/test-db.ts'

const { sql } = await testDatabase()

/** The columns' lengths, next to the limits that forms are validated by. */
const lengths: [table: string, column: string, length: number][] = [
  ['sessions', 'sid', authLimits.sessionId],
  ['users', 'email', authLimits.email],
  ['users', 'password', authLimits.passwordColumn],
  ['users', 'name', authLimits.name],
  ['users', 'role', authLimits.role],
  ['users', 'email_verification_token', authLimits.token],
  ['users', 'password_reset_token', authLimits.token],
  ...wordNames.map((name): [string, string, number] => [
    'teachings',
    columnOf(name),
    teachingWords[name].maxLength,
  ]),
  ['teachings', 'audio_url', teachingLimits.audioUrl],
  ['teachings', 'duration', teachingLimits.duration],
  ...lengthsOf('elders', writtenElder),
  ...lengthsOf('series', writtenSeries),
  ...lengthsOf('events', writtenEvent),
  ['events', 'repeats', eventLimits.repeats],
  ...lengthsOf('notices', writtenNotice),
  ...lengthsOf('pages', writtenPage),
  ['series', 'slug', seriesLimits.slug],
  ['elders', 'image_url', elderLimits.imageUrl],
  ['series', 'image_url', seriesLimits.imageUrl],
  ['pages', 'image_url', pageLimits.imageUrl],
  ['push_subscriptions', 'endpoint', pushLimits.endpoint],
]

test.each(lengths)('%s.%s holds %d characters', async (table, column, length) => {
  const [row] = await sql`select character_maximum_length as length from information_schema.columns
    where table_name = ${table} and column_name = ${column}`
  expect(row).toEqual({ length })
})

/** The declared fields of a synced row that are one text; those of the bios are unlimited columns. */
function lengthsOf(table: string, fields: Record<string, WrittenField>): [string, string, number][] {
  return Object.entries(fields).flatMap(([name, { written }]): [string, string, number][] => {
    const { maxLength } = written as z.ZodString
    return maxLength && maxLength !== elderLimits.bio ? [[table, columnOf(name), maxLength]] : []
  })
}

function columnOf(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
}

test.each(['2026-02-30', '2026-2-3', '0026-01-01', '', 'yesterday', '2026-01-01T00:00:00Z'])(
  'the date %j is refused by the table itself',
  async (date) => {
    const inserted = sql`insert into teachings (title, speaker, date, year) values ('T', 'S', ${date}, 2026)`
    await expect(inserted).rejects.toThrow()
  },
)

test('the year is the date’s', async () => {
  const inserted = sql`insert into teachings (title, speaker, date, year) values ('T', 'S', '2026-01-01', 2025)`
  await expect(inserted).rejects.toMatchObject({ code: '23514' })
})

test('only one live teaching may have a recording', async () => {
  const sha256 = 'a'.repeat(64)
  const insert = () => sql`insert into teachings (title, speaker, date, year, audio_sha256, audio_bytes)
    values ('T', 'S', '2026-01-01', 2026, ${sha256}, 1)`
  await insert()
  await expect(insert()).rejects.toMatchObject({ code: '23505', constraint_name: 'teachings_audio_sha256' })
  await sql`update teachings set deleted_at = now()`
  await insert()
})

test('an address is one account, however its letters are written', async () => {
  await sql`insert into users (email, password, name) values ('Ruth@example.org', 'x', 'Ruth')`
  const again = sql`insert into users (email, password, name) values ('ruth@EXAMPLE.org', 'x', 'Ruth')`
  await expect(again).rejects.toMatchObject({ code: '23505' })
  expect(await sql`select role, is_active, is_email_verified, login_attempts from users`).toEqual([
    { role: 'user', isActive: true, isEmailVerified: false, loginAttempts: 0 },
  ])
})
