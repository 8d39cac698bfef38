import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { loadSecret, secretFile } from '../../config/secret.ts'
import { openWithPassphrase, sealWithPassphrase } from '../../machine/secrets.ts'
import { hostKeyFile, loadHostKey } from '../../machine/ssh/ssh-host-key.ts'
import { authorizedKeysFile } from '../sftp/sftp.ts'

/** The secrets outside the database, which cannot be regenerated. */
const serverSecrets = z.object({
  appSecret: z.string(),
  hostKey: z.string(),
  /** Null where there is no such file. */
  authorizedKeys: z.string().nullable(),
})
export type ServerSecrets = z.infer<typeof serverSecrets>

/** `secrets.sealed` of a backup; undefined without a passphrase to seal it with. */
export async function sealedSecrets(config: Config): Promise<Buffer | undefined> {
  const { backupPassphrase, dataDir } = config
  if (backupPassphrase === undefined) return undefined
  const secrets: ServerSecrets = {
    appSecret: await loadSecret(config),
    hostKey: (await loadHostKey(dataDir)).privateKey,
    authorizedKeys: await existing(authorizedKeysFile(dataDir)),
  }
  return sealWithPassphrase(backupPassphrase, JSON.stringify(secrets))
}

function existing(file: string): Promise<string | null> {
  return readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

/** Undefined for a wrong passphrase or damaged bytes. */
export async function openSecrets(passphrase: string, sealed: Buffer): Promise<ServerSecrets | undefined> {
  const text = await openWithPassphrase(passphrase, sealed)
  return text === undefined ? undefined : serverSecrets.parse(JSON.parse(text))
}

/** The secrets by file; an APP_SECRET from the environment has no file. */
export function secretTexts(
  { dataDir, secret }: Pick<Config, 'dataDir' | 'secret'>,
  { appSecret, hostKey, authorizedKeys }: ServerSecrets,
): { file: string; text: string }[] {
  return [
    ...(secret === undefined ? [{ file: secretFile(dataDir), text: `${appSecret}\n` }] : []),
    { file: hostKeyFile(dataDir), text: hostKey },
    ...(authorizedKeys === null ? [] : [{ file: authorizedKeysFile(dataDir), text: authorizedKeys }]),
  ]
}
