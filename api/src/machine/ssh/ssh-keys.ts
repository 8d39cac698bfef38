import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import path from 'node:path'
import ssh2 from 'ssh2'
import { readOrCreateSecret } from '../secrets.ts'

/** The key by which clients recognize the server. */
export interface HostKey {
  /** OpenSSH private key. */
  readonly privateKey: string
  /** The fingerprint 'SHA256:…', as clients show it. */
  readonly fingerprint: string
}

/** The file of the host key. */
export const hostKeyFile = (dataDir: string): string => path.join(dataDir, 'ssh-host-key')

/**
 * The host key of the data folder (mode 0600), generated once: a changed key makes every client warn of an attack.
 *
 * @throws Error with a sentence if the stored one cannot be used
 */
export async function loadHostKey(dataDir: string): Promise<HostKey> {
  const file = hostKeyFile(dataDir)
  const kept = await readOrCreateSecret(file, usableKey)
  const key = hostKeyOf(kept)
  if (key) return key
  throw new Error(
    `${file} holds no usable SSH key. Put it back from a backup, or delete the file to have a new one made.`,
  )
}

/** Undefined if the text is no usable private key. */
export function hostKeyOf(privateKey: string): HostKey | undefined {
  const key = ssh2.utils.parseKey(privateKey)
  if (key instanceof Error) return undefined
  const fingerprint = createHash('sha256').update(key.getPublicSSH()).digest('base64').replace(/=+$/, '')
  return { privateKey, fingerprint: `SHA256:${fingerprint}` }
}

/**
 * ssh2 cannot read about one in a hundred of the keys it generates, so each is verified first.
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

/** A public key that a client offers and, in its second message, the signature by its private key. */
export interface OfferedKey {
  readonly algorithm: string
  readonly publicKey: Buffer
  readonly proof?: { readonly signature: Buffer; readonly signed: Buffer; readonly hash: string | undefined }
}

/**
 * Whether a file of authorized keys (sshd(8), AUTHORIZED_KEYS FILE FORMAT) has the key, and the signature is valid
 * if there is one. Read on every call, so that a removed key is refused at once. Lines with options are ignored, as
 * options are not supported. A missing file has no keys.
 */
export async function isAuthorized(file: string, offered: OfferedKey): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '')
  for (const line of text.split('\n').map((written) => written.trim())) {
    if (!/^(?:ssh|ecdsa|sk)-/.test(line)) continue
    const key = ssh2.utils.parseKey(line)
    if (key instanceof Error || !key.getPublicSSH().equals(offered.publicKey)) continue
    const { proof } = offered
    return proof === undefined || key.verify(proof.signed, proof.signature, proof.hash) === true
  }
  return false
}
