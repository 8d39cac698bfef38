import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll } from 'vitest'
import type { Role } from '@fellowship/schema/auth/auth.schema'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { createApp } from '../app.ts'
import { clusterNode, nodeIdOf, settlementNotes } from '../cluster/cluster.ts'
import { parseEnv } from '../config/config.ts'
import type { Environment } from '../config/env.ts'
import { loadSecret } from '../config/secret.ts'
import type { Context } from '../context.ts'
import { databaseLocks } from '../db/locks.ts'
import { insertUser } from '../features/auth/auth.sql.ts'
import { refusalPace, writeLimiter } from '../http/limiter.ts'
import { inProcessChanges } from '../machine/changes.ts'
import { testClock } from '../machine/clock.ts'
import { configuredStorage } from '../machine/storage/configured-storage.ts'
import { fileHash } from '../machine/storage/file-hash.ts'
import { lifecycle } from '../machine/lifecycle.ts'
import { createLog } from '../machine/log.ts'
import { mailer } from '../machine/mail.ts'
import { passwordHash } from '../machine/password-hash.ts'
import { secretsUnder } from '../machine/secrets.ts'
import { luciaSessions } from '../machine/sessions.ts'
import { testClient } from './test-client.ts'
import { testDatabase } from './test-db.ts'

export { testClient, type TestClient } from './test-client.ts'

/**
 * The whole API over HTTP on a free port, with its own database, data folder and clock. Removed after the
 * file's tests.
 */
export async function testApp(
  env: Environment = {},
  /** Replaces parts of the context. */
  overrides: (dataDir: string) => Partial<Context> = () => ({}),
) {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'app-test-'))
  const { sql, place } = await testDatabase()
  const locks = await databaseLocks(place, sql)
  const config = parseEnv({ ...env, DATA_DIR: dataDir })
  const passwords = passwordHash()
  const hashes = fileHash()
  const clock = testClock(new Date().toISOString())
  const log = createLog('silent')
  const life = lifecycle()
  const secrets = secretsUnder(await loadSecret(config))
  const context: Context = {
    config,
    sql,
    locks,
    node: clusterNode({ sql, locks, log, lifecycle: life }, nodeIdOf(dataDir)),
    storage: configuredStorage(config, locks.owner, settlementNotes(sql, locks.owner)),
    clock,
    log,
    lifecycle: life,
    mail: mailer(config, log),
    passwords,
    hashes,
    sessions: luciaSessions(sql, { secure: config.secureCookies }),
    secrets,
    changes: inProcessChanges(),
    refusals: refusalPace(neverFast()),
    writes: writeLimiter({ sql, clock, secrets }),
    ...overrides(dataDir),
  }
  const server = await createApp(context, { webFolder: path.join(dataDir, 'web') })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterAll(async () => {
    context.lifecycle.drain()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await passwords.close()
    await hashes.close()
    await locks.close()
    await rm(dataDir, { recursive: true, force: true })
  })

  const client = (headers: Record<string, string> = {}) => testClient(url, headers)
  let people = 0
  return {
    url,
    context,
    clock,
    server,
    dataDir,
    client,
    /** The database, for a second connection. */
    place,
    /** A client signed in to a new account. */
    async signedIn(role: Role = 'user') {
      const email = `${role}-${(people += 1)}@example.org`
      hashed ??= passwords.hash(password)
      await insertUser(sql, { email, password: await hashed, name: `A ${role}`, role })
      const person = client()
      await call(auth.login, { body: { email, password } }, person)
      return Object.assign(person, { email, password })
    },
  }
}

const password = 'Correct-horse-9'
/** Made once for all accounts of a worker: it takes as long as their sign-in. */
let hashed: Promise<string> | undefined

/** Tests send hundreds of refused requests in a second, unlike any client that should not be slowed down. */
function neverFast(): () => number {
  let now = 0
  return () => (now += 60_000)
}
