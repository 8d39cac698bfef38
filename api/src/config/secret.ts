import { randomBytes } from 'node:crypto'
import path from 'node:path'
import { readOrCreateSecret, readSecretFile } from '../machine/secrets.ts'
import type { Config } from './config.ts'

/** The file of the generated secret. */
export const secretFile = (dataDir: string): string => path.join(dataDir, 'app-secret')

/**
 * The application's secret: APP_SECRET, else the one in the data folder (mode 0600), generated at the first start.
 *
 * @throws Error with a sentence if the stored one cannot be used
 */
export async function loadSecret({ secret, dataDir }: Where): Promise<string> {
  if (secret !== undefined) return secret
  const file = secretFile(dataDir)
  return usable(file, await readOrCreateSecret(file, () => `${randomBytes(32).toString('hex')}\n`))
}

/** As `loadSecret`, but generates nothing: undefined if there is none yet. */
export async function findSecret({ secret, dataDir }: Where): Promise<string | undefined> {
  if (secret !== undefined) return secret
  const stored = await readSecretFile(secretFile(dataDir))
  return stored === undefined ? undefined : usable(secretFile(dataDir), stored)
}

type Where = Pick<Config, 'secret' | 'dataDir'>

function usable(file: string, text: string): string {
  if (text.trim().length >= 32) return text.trim()
  throw new Error(
    `${file} holds no usable secret. Put it back from a backup, or delete the file to have a new one made.`,
  )
}
