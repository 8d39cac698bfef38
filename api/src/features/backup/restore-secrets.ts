import type { Config } from '../../config/config.ts'
import { findSecret } from '../../config/secret.ts'
import { readSecretFile } from '../../machine/secret-file.ts'
import { secretsUnder } from '../../machine/secrets.ts'
import { hostKeyFile } from '../../machine/ssh/ssh-host-key.ts'
import type { Archive } from '../../machine/zip/unzip.ts'
import { isPasswordReadable } from '../sftp/sftp.ts'
import type { DatabaseDump, Manifest } from './manifest.ts'
import { RestoreRefusal } from './restore-refusal.ts'
import { openSecrets, secretTexts } from './sealed-secrets.ts'

/** What a restore does about the server's secrets, and what follows from it. */
export interface SecretsReport {
  /** `left aside`: they are in the backup, and were not wanted. */
  secrets: 'restored' | 'left aside' | 'not in the backup'
  /** `kept`: the one that is here stays. `made anew`: at the next start, because there is none. */
  hostKey: 'restored' | 'kept' | 'made anew'
  /** `kept`: it is the one of the backup. `made anew`: nobody can read it any more. */
  sftpPassword: 'kept' | 'made anew' | 'none'
}

/** Which files are to be written, and what is said of it. */
export interface SecretsPlan {
  files: { file: string; text: string }[]
  report: SecretsReport
}

type Here = Pick<Config, 'dataDir' | 'secret' | 'backupPassphrase'>

/**
 * Opens the secrets of a backup, or says why not. Writes nothing.
 *
 * @param withoutSecrets confirms that those of the backup are not wanted
 * @throws RestoreRefusal
 */
export async function planSecrets(
  here: Here,
  archive: Archive,
  about: Manifest,
  dump: DatabaseDump,
  withoutSecrets: boolean,
): Promise<SecretsPlan> {
  const sealed = about.files.find(({ kind }) => kind === 'secrets')
  const found = sealed && !withoutSecrets ? await opened(here, await archive.read(sealed.name)) : undefined
  const appSecret = found?.appSecret ?? (await findSecret(here))
  const hasHostKey = (await readSecretFile(hostKeyFile(here.dataDir))) !== undefined
  return {
    files: found ? secretTexts(here, found) : [],
    report: {
      secrets: found ? 'restored' : sealed ? 'left aside' : 'not in the backup',
      hostKey: found ? 'restored' : hasHostKey ? 'kept' : 'made anew',
      sftpPassword: passwordUnder(appSecret, dump),
    },
  }
}

async function opened({ backupPassphrase, secret }: Here, sealed: Buffer) {
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

const orWithout =
  'Or say --without-secrets: then the SFTP password, and the host key where there is none here, are made anew.'

/** The password that the restored settings hold, to whoever has this secret. */
function passwordUnder(appSecret: string | undefined, dump: DatabaseDump): SecretsReport['sftpPassword'] {
  const sealed = dump.tables['sftp_settings']?.[0]?.['password_sealed']
  if (typeof sealed !== 'string') return 'none'
  return appSecret !== undefined && isPasswordReadable(secretsUnder(appSecret), sealed) ? 'kept' : 'made anew'
}
