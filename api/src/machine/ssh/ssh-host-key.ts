import { createHash } from 'node:crypto'
import path from 'node:path'
import ssh2 from 'ssh2'
import { readOrCreateSecret } from '../secret-file.ts'

/** What proves to clients that the server is the one they met before. */
export interface HostKey {
  /** OpenSSH private key. */
  readonly privateKey: string
  /** 'SHA256:…', as clients show it. */
  readonly fingerprint: string
}

/** Where the host key is kept. */
export const hostKeyFile = (dataDir: string): string => path.join(dataDir, 'ssh-host-key')

/**
 * The host key of the data folder (mode 0600), made once: another one would make every client warn of an attack.
 *
 * @throws Error with a sentence where the kept one cannot be used
 */
export async function loadHostKey(dataDir: string): Promise<HostKey> {
  const file = hostKeyFile(dataDir)
  const kept = await readOrCreateSecret(file, usableKey)
  const key = ssh2.utils.parseKey(kept)
  if (key instanceof Error) {
    throw new Error(
      `${file} holds no usable SSH key. Put it back from a backup, or delete the file to have a new one made.`,
    )
  }
  const fingerprint = createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')
  return { privateKey: kept, fingerprint: `SHA256:${fingerprint}` }
}

/**
 * About one key in a hundred that ssh2 writes it cannot read again, so each has to
 * prove itself first.
 */
function usableKey(): string {
  const proof = Buffer.from('proof')
  for (;;) {
    const text = ssh2.utils.generateKeyPairSync('ed25519', { comment: 'fellowship' }).private
    const key = ssh2.utils.parseKey(text)
    if (key instanceof Error) continue
    const signature = key.sign(proof)
    if (Buffer.isBuffer(signature) && key.verify(proof, signature)) return text
  }
}
