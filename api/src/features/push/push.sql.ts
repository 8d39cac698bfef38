import type { PushEvery, PushSubscriptionKeys } from '@fellowship/schema/push/push.contract'
import type { PushMessage } from '@fellowship/schema/push/push-message'
import type { Database, Sql, Transaction } from '../../db/connection.ts'

export interface KeysRow {
  publicKey: string
  privateKeySealed: string
}

export async function findKeys(sql: Sql): Promise<KeysRow | undefined> {
  const [row] = await sql<KeysRow[]>`select public_key, private_key_sealed from push_keys`
  return row
}

/**
 * Replaces a missing or unreadable key pair; if several processes do, the first wins. Subscriptions
 * are bound to one key: those of another key cannot be used.
 */
export async function replaceKeys(
  sql: Database,
  unreadable: KeysRow | undefined,
  keys: KeysRow,
  now: Date,
): Promise<void> {
  await sql.begin(async (tx) => {
    if (unreadable) await tx`delete from push_keys where public_key = ${unreadable.publicKey}`
    const made = await tx`insert into push_keys ${tx({ ...keys, weekToldAt: now })} on conflict do nothing`
    if (made.count > 0) await tx`delete from push_subscriptions`
  })
}

/** Whether a device with this endpoint is subscribed. */
export async function isKnownEndpoint(sql: Sql, endpoint: string): Promise<boolean> {
  const known = await sql`select 1 from push_subscriptions where endpoint = ${endpoint}`
  return known.length > 0
}

/**
 * Adds a subscription, or changes the one with its endpoint. If there are `most` already, it replaces the oldest one that never
 * accepted a message; false if all have.
 */
export async function putSubscription(
  tx: Transaction,
  { endpoint, keys }: PushSubscriptionKeys,
  every: PushEvery,
  { now, most }: { now: Date; most: number },
): Promise<boolean> {
  const row = { endpoint, ...keys, every, createdAt: now }
  const changed = await tx`update push_subscriptions set ${tx({ ...keys, every, failures: 0 })}
    where endpoint = ${endpoint}`
  if (changed.count > 0) return true
  const [{ count } = { count: 0 }] = await tx<{ count: number }[]>`
    select count(*)::int as count from push_subscriptions`
  if (count >= most) {
    const evicted = await tx`delete from push_subscriptions where uid in (
      select uid from push_subscriptions where sent_at is null order by created_at limit 1 for update skip locked)`
    if (evicted.count === 0) return false
  }
  await tx`insert into push_subscriptions ${tx(row)}
    on conflict (endpoint) do update set every = excluded.every, p256dh = excluded.p256dh, auth = excluded.auth`
  return true
}

export async function removeSubscription(sql: Sql, endpoint: string): Promise<void> {
  await sql`delete from push_subscriptions where endpoint = ${endpoint}`
}

/** Playable teachings that were not announced yet, oldest first. */
export function pendingNotifications(tx: Transaction): Promise<{ teaching: string; addedAt: Date }[]> {
  return tx<{ teaching: string; addedAt: Date }[]>`
    select n.teaching, n.added_at from push_news n join teachings t on t.uid = n.teaching
    where not n.told and t.deleted_at is null and t.audio_url is not null order by n.added_at for update of n`
}

/** Teachings announced since the last weekly message. */
export async function newsOfWeek(tx: Transaction): Promise<string[]> {
  const rows = await tx<{ teaching: string }[]>`
    select n.teaching from push_news n join teachings t on t.uid = n.teaching
    where n.told and t.deleted_at is null order by n.added_at for update of n`
  return rows.map(({ teaching }) => teaching)
}

export async function markTold(tx: Transaction, teachings: readonly string[]): Promise<void> {
  await tx`update push_news set told = true where teaching = any(${[...teachings]}::uuid[])`
}

/** Claims the message of the week that was due at `slot`; false if it was sent already. */
export async function claimWeek(tx: Transaction, slot: Date, now: Date): Promise<boolean> {
  const claimed = await tx`update push_keys set week_told_at = ${now} where week_told_at < ${slot}`
  return claimed.count > 0
}

/** Deletes entries that were announced to all, and those not playable for so long. */
export async function forgetNews(tx: Transaction, before: Date): Promise<void> {
  await tx`delete from push_news where told or added_at < ${before}`
}

/** A message to each device with this frequency. */
export async function addDeliveries(
  tx: Transaction,
  every: PushEvery,
  message: PushMessage,
  { now, expiresAt }: { now: Date; expiresAt: Date },
): Promise<number> {
  const added = await tx`
    insert into push_deliveries (subscription, message, due_at, expires_at)
    select uid, ${tx.json({ ...message, uids: [...message.uids] })}, ${now}, ${expiresAt}
    from push_subscriptions where every = ${every}`
  return added.count
}

/** A message that this process may send now. */
export interface Delivery {
  id: string
  subscription: string
  endpoint: string
  p256dh: string
  auth: string
  message: PushMessage
  tries: number
  expiresAt: Date
}

/** Claims due messages; if this process is killed, they can be claimed again at `until`. */
export function leaseDeliveries(
  sql: Sql,
  { now, until, most }: { now: Date; until: Date; most: number },
): Promise<Delivery[]> {
  return sql<Delivery[]>`
    update push_deliveries d set tries = d.tries + 1, due_at = ${until}
    from push_subscriptions s
    where s.uid = d.subscription and d.id in (
      select id from push_deliveries where due_at <= ${now} and expires_at > ${now}
      order by due_at limit ${most} for update skip locked)
    returning d.id, d.subscription, s.endpoint, s.p256dh, s.auth, d.message, d.tries, d.expires_at`
}

export async function endDelivery(
  sql: Database,
  { id, subscription }: Delivery,
  sentAt: Date,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`delete from push_deliveries where id = ${id}`
    await tx`update push_subscriptions set sent_at = ${sentAt}, failures = 0 where uid = ${subscription}`
  })
}

/** Gives up a message. A device is forgotten if it accepted none of the last `most`, or never one. */
export async function failDelivery(
  sql: Database,
  { id, subscription }: Delivery,
  most: number,
): Promise<void> {
  await sql.begin(async (tx) => {
    await tx`delete from push_deliveries where id = ${id}`
    await tx`update push_subscriptions set failures = failures + 1 where uid = ${subscription}`
    await tx`delete from push_subscriptions
      where uid = ${subscription} and (failures >= ${most} or sent_at is null)`
  })
}

export async function forgetSubscription(sql: Sql, { subscription }: Delivery): Promise<void> {
  await sql`delete from push_subscriptions where uid = ${subscription}`
}

export async function retryDelivery(sql: Sql, { id }: Delivery, at: Date): Promise<void> {
  await sql`update push_deliveries set due_at = ${at} where id = ${id}`
}

/** The message was not sent, so this is no failed attempt. */
export async function giveBackDelivery(sql: Sql, { id }: Delivery, dueAt: Date): Promise<void> {
  await sql`update push_deliveries set due_at = ${dueAt}, tries = tries - 1 where id = ${id}`
}

/** Gives up outdated messages, with the same consequences. */
export async function endExpired(sql: Database, now: Date, most: number): Promise<number> {
  return sql.begin(async (tx) => {
    const expired = await tx<{ subscription: string }[]>`
      delete from push_deliveries where expires_at <= ${now} returning subscription`
    const uids = expired.map(({ subscription }) => subscription)
    await tx`update push_subscriptions set failures = failures + 1 where uid = any(${uids}::uuid[])`
    await tx`delete from push_subscriptions
      where failures >= ${most} or (uid = any(${uids}::uuid[]) and sent_at is null)`
    return expired.length
  })
}

export async function pushRow(sql: Sql): Promise<{ devices: number; waiting: number }> {
  const [row] = await sql<{ devices: number; waiting: number }[]>`
    select (select count(*)::int from push_subscriptions) as devices,
      (select count(*)::int from push_deliveries) as waiting`
  return row!
}
