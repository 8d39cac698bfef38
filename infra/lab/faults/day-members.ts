import { auth } from '@fellowship/schema/auth/auth.contract'
import { listening } from '@fellowship/schema/listening/listening.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import type { Database } from '@fellowship/api/db/connection'
import { insertUser } from '@fellowship/api/features/auth/auth.sql'
import { passwordHash } from '@fellowship/api/machine/password-hash'
import { testClient, type TestClient } from '@fellowship/api/testing/test-client'

const password = 'a-long-sentence-only-you-know'

export const signIn = (client: TestClient, email = 'admin@example.org') =>
  call(auth.login, { body: { email, password } }, client)

/** New members, each at an address of its own, whose listening is in their accounts. */
export async function membersSignedIn(
  count: number,
  { url, sql }: { url: string; sql: Database },
): Promise<TestClient[]> {
  const hashing = passwordHash()
  const hash = await hashing.hash(password)
  await hashing.close()
  const clients = Array.from({ length: count }, (_, at) =>
    testClient(url, { 'x-forwarded-for': `10.0.${at >> 8}.${at & 255}` }),
  )
  for (const [at, client] of clients.entries()) {
    const email = `member-${at}@example.org`
    await insertUser(sql, { email, password: hash, name: `Member ${at}`, role: 'user' })
    await signIn(client, email)
    await call(listening.choose, { body: { on: true } }, client)
  }
  return clients
}

/** Sends as many notes of 6 kB as a request may have. */
export function writeNotes(member: TestClient): Promise<unknown> {
  const changes = Array.from({ length: 7 }, () => {
    const [id, uid, now] = [uuidv7(Date.now()), uuidv7(Date.now()), Date.now()]
    const row = {
      id,
      uid,
      seconds: 60,
      text: '語'.repeat(2_000),
      createdAt: now,
      changedAt: now,
      removed: false,
    }
    return { kind: 'note' as const, row }
  })
  return call(listening.push, { body: { changes } }, member)
}

/** A request of a member who listens, searches and reads. */
export function ordinary(member: TestClient, round: number): Promise<unknown> {
  const row = { uid: uuidv7(Date.now()), seconds: 60, duration: 2_400, listenedAt: Date.now(), earlier: [] }
  const each = [
    () => call(listening.push, { body: { changes: [{ kind: 'position', row }] } }, member),
    () => call(listening.pull, { query: {} }, member),
    () => call(teachings.search, { query: { q: `load ${round}` } }, member),
    () => call(teachings.list, {}, member),
  ]
  return each[round % each.length]!()
}
