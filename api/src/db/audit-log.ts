import type { Database, Transaction } from './connection.ts'

/** Somebody who changes something. */
export interface Doer {
  id: number | null
  name: string
}

export interface AuditEntry {
  /** Who did it; null for the product itself. Without an id it is no account, as the sound desk. */
  actor: Doer | null
  /** What was done, as 'elder.created'. */
  action: string
  /** To whom or what, in words that still say it when the row is gone. */
  subject: string
  /** What a later reader needs besides: never a secret, never a whole row. */
  details?: Record<string, string | number | boolean | string[] | null>
}

/** Writes a line of the audit log; inside the transaction of the change, it stands or falls with it. */
export async function writeAudit(
  sql: Database | Transaction,
  { actor, action, subject, details = {} }: AuditEntry,
  at: Date,
): Promise<void> {
  await sql`
    insert into audit_log (at, user_id, actor, action, subject, details)
    values (${at}, ${actor?.id ?? null}, ${(actor?.name ?? 'the product').slice(0, 255)}, ${action},
      ${subject.slice(0, 255)}, ${sql.json(details)})`
}
