import { parseEnv, type Config } from '@fellowship/api/config/config'
import { readEnv } from '@fellowship/api/config/env'
import { applyEnvFile } from '@fellowship/api/config/env-file'
import { startFailure } from '@fellowship/api/config/start-failure'
import { openDatabase, type OpenDatabase } from '@fellowship/api/db/database'

/**
 * Opens the configuration and the database for an operator's command. If either fails, prints the reason and ends the
 * process with exit code 1.
 */
export async function openProduct(command: string): Promise<{ config: Config; database: OpenDatabase }> {
  const config = configOrFail()
  try {
    return { config, database: await openDatabase(config, { applicationName: command }) }
  } catch (error) {
    return fail(startFailure(error, config) ?? (error as Error).message)
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
