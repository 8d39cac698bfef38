import { readFile } from 'node:fs/promises'
import ssh2 from 'ssh2'

/** A public key that a client offers and, in its second message, the signature by its private key. */
export interface OfferedKey {
  readonly algorithm: string
  readonly publicKey: Buffer
  readonly proof?: { readonly signature: Buffer; readonly signed: Buffer; readonly hash: string | undefined }
}

/**
 * Whether a file of authorized keys (sshd(8), AUTHORIZED_KEYS FILE FORMAT) has the key, and the signature is valid
 * where there is one. Read on every call, so that a removed key is refused at once. Lines with options are ignored, as
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
