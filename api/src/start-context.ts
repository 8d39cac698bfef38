import { clusterNode, nodeIdOf, settlementNotes, type ClusterNode } from './cluster/cluster.ts'
import type { Config } from './config/config.ts'
import { loadSecret } from './config/secret.ts'
import type { Context } from './context.ts'
import { openDatabase } from './db/database.ts'
import { databaseLocks } from './db/locks.ts'
import { logLoss } from './db/log-loss.ts'
import {
  assertSyncTriggers,
  continueCluster,
  continueHistory,
  endHistory,
} from './features/sync/database-history.ts'
import { refreshSite } from './features/site/site.ts'
import { refusalPace, writeLimiter } from './http/limiter.ts'
import { listenForHints } from './features/listening/listening.ts'
import { inProcessChanges } from './machine/changes.ts'
import { systemClock } from './machine/clock.ts'
import { fileHash } from './machine/storage/file-hash.ts'
import { lifecycle } from './machine/lifecycle.ts'
import { createLog } from './machine/log.ts'
import { mailer } from './machine/mail.ts'
import { passwordHash } from './machine/password-hash.ts'
import { secretsUnder } from './machine/secrets.ts'
import { luciaSessions } from './machine/sessions.ts'
import { atMost } from './machine/concurrency.ts'
import { configuredStorage } from './machine/storage/configured-storage.ts'

/** Opens the database, storage, workers and secrets. `close` ends them in the reverse order. */
export async function startContext(
  config: Config,
): Promise<{ context: Context; node: ClusterNode; close: () => Promise<void> }> {
  const log = createLog(config.logLevel)
  const secrets = secretsUnder(await loadSecret(config))
  const life = lifecycle()
  const database = await openDatabase(config, {
    // A service manager may end it together with this process, which finishes its requests first.
    onRestart: (why) =>
      log[life.draining ? 'info' : 'error']({ why }, 'the embedded database was started again'),
    onHang: (answers) =>
      answers
        ? log.warn('the database answers again')
        : log.error({}, 'the database does not answer; requests are refused until it does'),
  })
  const locks = await databaseLocks(database.place, database.sql, database.gate)
  const passwords = passwordHash()
  const hashes = fileHash()
  const node = clusterNode({ sql: database.sql, locks, log, lifecycle: life }, nodeIdOf(config.dataDir))
  const context: Context = {
    config,
    sql: database.sql,
    locks,
    node,
    storage: configuredStorage(config, locks.owner, settlementNotes(database.sql, locks.owner)),
    clock: systemClock,
    log,
    lifecycle: life,
    mail: mailer(config, log),
    passwords,
    hashes,
    sessions: luciaSessions(database.sql, { secure: config.secureCookies }),
    secrets,
    changes: inProcessChanges(),
    refusals: refusalPace(),
    writes: writeLimiter({ sql: database.sql, clock: systemClock, secrets }),
  }
  await node.join({ bucket: bucketOf(config), secrets }).catch(async (error: unknown) => {
    await closeAll()
    throw error
  })
  await assertSyncTriggers(database.sql)
  await refreshSite(context)
  // Changes that another process makes in the same database are announced here too.
  const announce = () => context.changes.announce()
  await continueHistory(context)
  let isFirst = true
  await node.listen('sync', announce, () => {
    announce()
    if (!isFirst)
      void continueCluster(context).catch((error: unknown) =>
        logLoss(context, error, 'the history of the database could not be checked'),
      )
    isFirst = false
  })
  await listenForHints(context)
  return {
    context,
    node,
    async close() {
      const noted = node.leave().then(() => endHistory(context))
      await atMost(endMs, noted).catch((error: unknown) =>
        logLoss(context, error, 'the end could not be noted'),
      )
      await closeAll()
    },
  }

  async function closeAll(): Promise<void> {
    await passwords.close()
    await hashes.close()
    await atMost(endMs, locks.close())
    await database.close()
  }
}

/** How long the end of this process waits for the database to take a note, or to give up its locks: it ends with them. */
const endMs = 6_000

const bucketOf = ({ s3, blobStore }: Config): string | null =>
  s3 && blobStore === 's3' ? `${s3.bucket} at ${new URL(s3.endpoint).host}` : null
