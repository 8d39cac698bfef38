import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import type { Config } from '../../config/config.ts'
import { loadSecret, secretFile, findSecret } from '../../config/secret.ts'
import {
  openWithPassphrase,
  readSecretFile,
  sealWithPassphrase,
  secretsUnder,
} from '../../machine/secrets.ts'
import { absentAsUndefined } from '../../machine/storage/durable-files.ts'
import { hostKeyFile, loadHostKey } from '../../machine/ssh/ssh-keys.ts'
import { authorizedKeysFile, isPasswordReadable } from '../sftp/sftp.ts'
import type { Archive } from '../../machine/zip/unzip.ts'
import { type Manifest, RestoreRefusal } from './manifest.ts'

/** The secrets outside the database, which cannot be regenerated. */
const serverSecrets = z.object({
  appSecret: z.string(),
  hostKey: z.string(),
  /** Null if there is no such file. */
  authorizedKeys: z.string().nullable(),
})
type ServerSecrets = z.infer<typeof serverSecrets>

/** `secrets.sealed` of a backup; undefined without a passphrase to seal it with. */
export async function sealedSecrets(config: Config): Promise<Buffer | undefined> {
  const { backupPassphrase, dataDir } = config
  if (backupPassphrase === undefined) return undefined
  const secrets: ServerSecrets = {
    appSecret: await loadSecret(config),
    hostKey: (await loadHostKey(dataDir)).privateKey,
    authorizedKeys: (await absentAsUndefined(readFile(authorizedKeysFile(dataDir), 'utf8'))) ?? null,
  }
  return sealWithPassphrase(backupPassphrase, JSON.stringify(secrets))
}

/** Undefined for a wrong passphrase or damaged bytes. */
async function openSecrets(passphrase: string, sealed: Buffer): Promise<ServerSecrets | undefined> {
  const text = await openWithPassphrase(passphrase, sealed)
  return text === undefined ? undefined : serverSecrets.parse(JSON.parse(text))
}

/** The secrets by file; an APP_SECRET from the environment has no file. */
function secretTexts(
  { dataDir, secret }: Pick<Config, 'dataDir' | 'secret'>,
  { appSecret, hostKey, authorizedKeys }: ServerSecrets,
): { file: string; text: string }[] {
  return [
    ...(secret === undefined ? [{ file: secretFile(dataDir), text: `${appSecret}\n` }] : []),
    { file: hostKeyFile(dataDir), text: hostKey },
    ...(authorizedKeys === null ? [] : [{ file: authorizedKeysFile(dataDir), text: authorizedKeys }]),
  ]
}

/** The fate of the server's secrets in a restore, and the consequences. */
export interface SecretsReport {
  /** `left aside`: they are in the backup, but --without-secrets was given. */
  secrets: 'restored' | 'left aside' | 'not in the backup'
  /** `kept`: the present key stays. `made anew`: there is none, so that the next start generates one. */
  hostKey: 'restored' | 'kept' | 'made anew'
  /** `kept`: the password in the backup can be read. `made anew`: it cannot, so that a new one is generated. */
  sftpPassword: 'kept' | 'made anew' | 'none'
}

/** The files to write, and the report. */
export interface SecretsPlan {
  files: { file: string; text: string }[]
  report: SecretsReport
}

type ServerConfig = Pick<Config, 'dataDir' | 'secret' | 'backupPassphrase'>

/**
 * Opens the secrets of a backup without writing.
 *
 * @param sealedPassword the sealed SFTP password in the backup, if there is one
 * @param withoutSecrets leaves the secrets of the backup out
 * @throws RestoreRefusal
 */
export async function planSecrets(
  config: ServerConfig,
  archive: Archive,
  about: Manifest,
  { sealedPassword, withoutSecrets }: { sealedPassword: unknown; withoutSecrets: boolean },
): Promise<SecretsPlan> {
  const sealed = about.files.find(({ kind }) => kind === 'secrets')
  const found =
    sealed && !withoutSecrets
      ? await openSealed(config, await archive.read(sealed.name, mostSecretBytes))
      : undefined
  const appSecret = found?.appSecret ?? (await findSecret(config))
  const hasHostKey = (await readSecretFile(hostKeyFile(config.dataDir))) !== undefined
  return {
    files: found ? secretTexts(config, found) : [],
    report: {
      secrets: found ? 'restored' : sealed ? 'left aside' : 'not in the backup',
      hostKey: found ? 'restored' : hasHostKey ? 'kept' : 'made anew',
      sftpPassword: passwordUnder(appSecret, sealedPassword),
    },
  }
}

async function openSealed({ backupPassphrase, secret }: ServerConfig, sealed: Buffer) {
  if (backupPassphrase === undefined) {
    throw new RestoreRefusal(
      `The secrets of the server are in this backup, sealed. Set BACKUP_PASSPHRASE to the passphrase it was made with. ${orWithout}`,
    )
  }
  const secrets = await openSecrets(backupPassphrase, sealed)
  if (!secrets) {
    throw new RestoreRefusal(
      `BACKUP_PASSPHRASE is not the passphrase that the secrets in this backup were sealed with. Set it to that one. ${orWithout}`,
    )
  }
  if (secret !== undefined && secret !== secrets.appSecret) {
    throw new RestoreRefusal(
      `APP_SECRET is set here, and not to the one of this backup. Take it out of the environment, so that the one of the backup counts. ${orWithout}`,
    )
  }
  return secrets
}

const mostSecretBytes = 1024 * 1024

const orWithout =
  'Or say --without-secrets: then the SFTP password, and the host key where there is none here, are made anew.'

/** Whether the SFTP password of the backup can be read under this APP_SECRET. */
function passwordUnder(appSecret: string | undefined, sealed: unknown): SecretsReport['sftpPassword'] {
  if (typeof sealed !== 'string') return 'none'
  return appSecret !== undefined && isPasswordReadable(secretsUnder(appSecret), sealed) ? 'kept' : 'made anew'
}
