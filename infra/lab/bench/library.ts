import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Database } from '@fellowship/api/db/connection'
import { openDatabase } from '@fellowship/api/db/database'
import { columnsOf } from '@fellowship/api/features/teachings/teachings'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { manyTeachings } from '@fellowship/schema/testing/builders'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { call } from '@fellowship/sync/call/call'
import { cookieTransport } from '../../dev/cookie-transport.ts'
import { administrator, startProduct, type Product } from '../../e2e/support/product.ts'
import { pin } from './tools.ts'

export interface BenchLibrary extends Pick<Product, 'url' | 'dataDir'> {
  readonly pid: number
  /** An administrator, signed in. */
  readonly browser: ReturnType<typeof cookieTransport>
  stop(): Promise<void>
}

/** Starts the built product on the servers' core, with an empty data folder and this many generated teachings. */
export async function startLibrary({
  teachings = 0,
  texts = [],
  env = {},
}: {
  teachings?: number
  /** What was said in the teachings. */
  texts?: readonly (readonly Sentence[])[]
  env?: Record<string, string>
} = {}): Promise<BenchLibrary> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'bench-library-'))
  // The embedded PostgreSQL may run as another user and needs access to the folder.
  await chmod(dataDir, 0o755)
  const removeFolder = () => rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  let product: Product | undefined
  try {
    if (teachings > 0) await fill(dataDir, teachings, texts)
    product = await startProduct({ LOG_LEVEL: 'error', ...env }, { dataDir })
    return await signedIn(product, removeFolder)
  } catch (error) {
    await product?.stop()
    await removeFolder()
    throw error
  }
}

async function signedIn(product: Product, removeFolder: () => Promise<void>): Promise<BenchLibrary> {
  const pid = product.process.pid!
  pin('server', pid)
  const browser = cookieTransport(product.url)
  await call(auth.login, { body: administrator }, browser)
  return {
    url: product.url,
    dataDir: product.dataDir,
    pid,
    browser,
    async stop() {
      await product.stop()
      await removeFolder()
    },
  }
}

async function fill(dataDir: string, count: number, texts: readonly (readonly Sentence[])[]): Promise<void> {
  const database = await openDatabase({ databaseUrl: undefined, dataDir }, { applicationName: 'bench' })
  await insertTeachings(database.sql, count)
  await insertTexts(database.sql, texts)
  await database.close()
}

/** Generated teachings, without recordings. */
async function insertTeachings(sql: Database, count: number): Promise<void> {
  const rows = manyTeachings(count).map((row) => columnsOf(textOf(row)))
  const batch = 500
  for (let at = 0; at < rows.length; at += batch) {
    await sql`insert into teachings ${sql(rows.slice(at, at + batch))}`
  }
}

/** Approved texts. */
async function insertTexts(sql: Database, texts: readonly (readonly Sentence[])[]): Promise<void> {
  const uids = await sql<{ uid: string }[]>`select uid from teachings order by id limit ${texts.length}`
  const batch = 20
  for (let at = 0; at < texts.length; at += batch) {
    const rows = texts.slice(at, at + batch).map((sentences, index) => ({
      teaching: uids[at + index]!.uid,
      state: 'approved',
      source: 'person',
      language: 'en',
      sentences: sql.json(sentences as never),
      by_name: 'Bench',
      saved_at: new Date(),
      approved_by: 'Bench',
      approved_at: new Date(),
    }))
    await sql`insert into transcripts ${sql(rows)}`
  }
}
