import type { Node } from './cluster/cluster.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/connection.ts'
import type { Locks } from './db/locks.ts'
import type { RefusalPace, WriteLimiter } from './http/limiter.ts'
import type { Changes } from './machine/changes.ts'
import type { Clock } from './machine/clock.ts'
import type { FileHash } from './machine/storage/file-hash.ts'
import type { Lifecycle } from './machine/lifecycle.ts'
import type { Log } from './machine/log.ts'
import type { Mail } from './machine/mail.ts'
import type { PasswordHash } from './machine/password-hash.ts'
import type { Secrets } from './machine/secrets.ts'
import type { Sessions } from './machine/sessions.ts'
import type { Storage } from './machine/storage/storage.ts'

/** Everything a feature depends on: passed in, never imported, so that tests can replace time, disk and database. */
export interface Context {
  readonly config: Config
  /** postgres.js with camel-cased columns. */
  readonly sql: Database
  /** Mutexes shared by all processes of the database. */
  readonly locks: Locks
  /** This process among those of the database. */
  readonly node: Node
  readonly storage: Storage
  readonly clock: Clock
  readonly log: Log
  readonly lifecycle: Lifecycle
  readonly mail: Mail
  readonly passwords: PasswordHash
  /** Hashes recordings while they are written, in a worker thread. */
  readonly hashes: FileHash
  readonly sessions: Sessions
  /** Encrypts values that have to be readable again, such as the SFTP password. */
  readonly secrets: Secrets
  /** Notified after a commit that changed synced data. */
  readonly changes: Changes
  /** Delays clients with repeated rejections. */
  readonly refusals: RefusalPace
  /** Limits the writes of each account, over all its calls and all processes. */
  readonly writes: WriteLimiter
}
