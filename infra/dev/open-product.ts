import { judgeEnv, type Config } from '@fellowship/api/config/config'
import { readEnv } from '@fellowship/api/config/env'
import { openDatabase, type OpenDatabase } from '@fellowship/api/db/database'

/**
 * What a command for the server's keeper stands on: the configuration, and its database. Where one of them is not to be
 * had, the command ends with the sentence that says why.
 */
export async function openProduct(command: string): Promise<{ config: Config; database: OpenDatabase }> {
  try {
    const config = judgeEnv(readEnv())
    return { config, database: await openDatabase(config, { applicationName: command }) }
  } catch (error) {
    return fail((error as Error).message)
  }
}

/** Ends a command that cannot do its work. */
export function fail(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}
