import { expect } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import type { Database } from '@fellowship/api/db/connection'
import { elsewhere, type MixedLoad } from '@fellowship/api/testing/once-and-whole'
import type { TestClient } from '@fellowship/api/testing/test-client'

/** The rows of a library before a load began. */
export interface Before {
  teachings: number
  lastAudit: number
}

const listed = (base: string) => call(teachings.list, {}, { fetch, base })

/** @param base any of its processes, or a proxy */
export async function beforeLoad(sql: Database, base: string): Promise<Before> {
  const [{ last }] = (await sql`select coalesce(max(id), 0)::int as last from audit_log`) as unknown as [
    { last: number },
  ]
  return { teachings: (await listed(base)).length, lastAudit: last }
}

/**
 * After a load: every acknowledged change exists once and whole, listening devices have all rows, and sessions that ended at one
 * process are over at every process, while the others work at every process.
 *
 * @param urls of the processes, without a proxy
 * @param isOther whether a title is of a teaching that the load did not publish
 */
export async function expectOnceAndWhole(
  load: Pick<MixedLoad, 'published' | 'ended' | 'held'>,
  {
    before,
    sql,
    base,
    urls,
    people,
    isOther = () => false,
  }: {
    before: Before
    sql: Database
    base: string
    urls: readonly string[]
    people: readonly TestClient[]
    isOther?: (title: string) => boolean
  },
): Promise<void> {
  expect(load.published.size).toBeGreaterThan(0)
  expect(load.ended.length).toBeGreaterThan(0)
  const all = await listed(base)
  const rows = all.filter(({ title }) => !isOther(title))
  expect(rows).toHaveLength(before.teachings + load.published.size)
  for (const [uid, { bytes, audioUrl, title }] of load.published) {
    expect(rows.filter((row) => row.uid === uid).map((row) => row.title)).toEqual([title])
    expect(Buffer.from(await (await fetch(base + audioUrl)).arrayBuffer()).equals(bytes)).toBe(true)
  }
  // Each was applied once, even if it was sent several times.
  const lines = await sql<{ action: string; subject: string }[]>`
    select action, subject from audit_log where id > ${before.lastAudit} and action like 'teaching.%'`
  const counted = (action: string) => {
    const subjects = lines.filter((line) => line.action === action).map(({ subject }) => subject)
    const own = subjects.filter((subject) => !isOther(subject))
    return { times: own.length, subjects: new Set(own).size }
  }
  const once = { times: load.published.size, subjects: load.published.size }
  expect(new Set(lines.map(({ action }) => action))).toEqual(
    new Set(['teaching.edited', 'teaching.uploaded']),
  )
  expect([counted('teaching.edited'), counted('teaching.uploaded')]).toEqual([once, once])
  // Listening devices have all rows, without another pull.
  const titles = new Map(all.map((row) => [row.uid, row.title]))
  await expect.poll(() => load.held(), { timeout: 30_000 }).toEqual([titles, titles])
  for (const client of load.ended)
    for (const url of urls) expect((await call(auth.currentUser, {}, elsewhere(client, url))).user).toBe(null)
  for (const person of people)
    for (const url of urls)
      expect((await call(auth.currentUser, {}, elsewhere(person, url))).user).not.toBe(null)
}
