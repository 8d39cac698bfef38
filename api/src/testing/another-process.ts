import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { afterAll } from 'vitest'
import { createApp } from '../app.ts'
import { clusterNode, nodeIdOf, settlementNotes } from '../cluster/cluster.ts'
import type { Context } from '../context.ts'
import { connect } from '../db/connection.ts'
import { databaseLocks } from '../db/locks.ts'
import { inProcessChanges } from '../machine/changes.ts'
import { configuredStorage } from '../machine/storage/configured-storage.ts'
import { testClient, type testApp, type TestClient } from './test-app.ts'

/**
 * A second server on the database of a test app, with connections, locks and storage of its own, as another process has them.
 *
 * @param dataDir that of the test app unless given
 */
export async function anotherProcess(
  { context, place, ...app }: Awaited<ReturnType<typeof testApp>>,
  dataDir = app.dataDir,
) {
  const sql = connect(place, { max: 4, applicationName: 'another process' })
  const locks = await databaseLocks(place, sql)
  const config = { ...context.config, dataDir }
  const storage = configuredStorage(config, locks.owner, settlementNotes(sql, locks.owner))
  const node = clusterNode({ ...context, sql, locks }, nodeIdOf(dataDir))
  const own: Context = { ...context, config, sql, locks, node, storage, changes: inProcessChanges() }
  const server = await createApp(own, { webFolder: path.join(dataDir, 'web') })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  afterAll(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
    await locks.close()
    await sql.end({ timeout: 5 })
  })
  return {
    url,
    context: own,
    /** The same person at this server. */
    as(person: TestClient): TestClient {
      const client = testClient(url)
      for (const [name, value] of person.cookies) client.cookies.set(name, value)
      return client
    },
  }
}
