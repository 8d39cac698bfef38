import type { Sql } from './connection.ts'

/** Whom the audit log names: a signed-in user, or a sender without an account (no id), such as the sound desk. */
export interface AuditActor {
  id: number | null
  name: string
}

/** The signed-in user who makes a change. */
export interface Actor extends AuditActor {
  id: number
}

export interface AuditEntry {
  /** Null if the product itself acted. */
  actor: AuditActor | null
  /** The action, as 'elder.created'. */
  action: string
  /** Its object, readable after the row has been deleted. */
  subject: string
  /** Further facts: never a secret, never a whole row. */
  details?: Record<string, string | number | boolean | string[] | null>
}

/** Writes an entry of the audit log; call it in the transaction of the change. */
export async function writeAudit(
  sql: Sql,
  { actor, action, subject, details = {} }: AuditEntry,
  at: Date,
): Promise<void> {
  await sql`
    insert into audit_log (at, user_id, actor, action, subject, details)
    values (${at}, ${actor?.id ?? null}, ${(actor?.name ?? 'the product').slice(0, 255)}, ${action},
      ${subject.slice(0, 255)}, ${sql.json(details)})`
}

/**
 * As `writeAudit`, for actions that may come in thousands: one entry an hour for the same action of the same actor on the same
 * subject, with the number of times.
 */
export async function countAudit(sql: Sql, entry: Omit<AuditEntry, 'details'>, at: Date): Promise<void> {
  const { actor, action, subject } = entry
  const { count } = await sql`
    update audit_log set details = jsonb_set(details, '{times}', to_jsonb((details ->> 'times')::int + 1))
    where id = (
      select id from audit_log
      where at > ${at}::timestamptz - interval '1 hour' and action = ${action} and subject = ${subject.slice(0, 255)}
        and user_id is not distinct from ${actor?.id ?? null}
      order by id desc limit 1)`
  if (count === 0) await writeAudit(sql, { ...entry, details: { times: 1 } }, at)
}

/**
 * The user of the last entry of this action since a moment; undefined if there is none.
 *
 * @param details facts that the entry has
 */
export async function lastUserOf(
  sql: Sql,
  { action, details, since }: { action: string; details: Record<string, string | number>; since: Date },
): Promise<number | null | undefined> {
  const [entry] = await sql<{ userId: number | null }[]>`
    select user_id from audit_log
    where action = ${action} and at >= ${since} and details @> ${sql.json(details)}
    order by id desc limit 1`
  return entry?.userId
}
