import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { parseEnv, type Config } from '@fellowship/api/config/config'
import { readEnv } from '@fellowship/api/config/env'
import { applyEnvFile } from '@fellowship/api/config/env-file'
import { startFailure } from '@fellowship/api/config/start-failure'
import { connect } from '@fellowship/api/db/connection'
import { openDatabase, type OpenDatabase } from '@fellowship/api/db/database'

/** The database of the product, and its place. */
type ProductDatabase = Pick<OpenDatabase, 'sql' | 'place' | 'close'>

/**
 * Opens the configuration and the database for an operator's command. If either fails, prints the reason and ends the
 * process with exit code 1.
 *
 * @param options.mayJoin the command may use the embedded database of a product that is running
 * @param options.onMovedAside allows that a database of another major version is moved aside; called with its new path
 */
export async function openProduct(
  command: string,
  { mayJoin = false, onMovedAside }: { mayJoin?: boolean; onMovedAside?: (aside: string) => void } = {},
): Promise<{ config: Config; database: ProductDatabase }> {
  const config = configOrFail()
  try {
    const running = mayJoin ? await runningDatabase(config) : undefined
    const options = { applicationName: command, ...(onMovedAside && { onMovedAside }) }
    return { config, database: running ?? (await openDatabase(config, options)) }
  } catch (error) {
    return fail(startFailure(error, config) ?? (error as Error).message)
  }
}

/** The embedded database of a product that runs from this data folder, as PostgreSQL's own file describes it. */
async function runningDatabase({ databaseUrl, dataDir }: Config): Promise<ProductDatabase | undefined> {
  if (databaseUrl !== undefined) return undefined
  const file = path.join(dataDir, 'postgres', 'data', 'postmaster.pid')
  // The fifth line is the folder of its socket.
  const socketFolder = (await readFile(file, 'utf8').catch(() => '')).split('\n')[4]
  if (!socketFolder) return undefined
  const place = { socketFolder, database: 'fellowship' }
  const sql = connect(place, { max: 1 })
  try {
    await sql`select 1`
    return { sql, place, close: () => sql.end({ timeout: 5 }) }
  } catch {
    await sql.end({ timeout: 5 })
    return undefined
  }
}

function configOrFail(): Config {
  try {
    for (const sentence of applyEnvFile().warnings) console.error(sentence)
    return parseEnv(readEnv())
  } catch (error) {
    return fail((error as Error).message)
  }
}

/** Prints the sentence and ends the process with exit code 1. */
export function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
