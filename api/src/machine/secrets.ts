import { createCipheriv, createDecipheriv, hkdfSync, randomBytes, scrypt } from 'node:crypto'
import { z } from 'zod'
import { parsedJson } from './json.ts'

/** Keeps short secrets unreadable at rest: whoever reads the database alone learns nothing. */
export interface Secrets {
  /** @param purpose what it is for; only the same purpose opens it again */
  seal(purpose: string, text: string): string
  /** Undefined where it was sealed under another APP_SECRET or purpose, or was tampered with. */
  open(purpose: string, sealed: string): string | undefined
}

/** AES-256-GCM under a key derived from the application's secret (RFC 5869), one for each purpose. */
export function secretsUnder(appSecret: string): Secrets {
  const keyFor = (purpose: string) => Buffer.from(hkdfSync('sha256', appSecret, '', `sealed: ${purpose}`, 32))
  return {
    seal: (purpose, text) => encrypt(keyFor(purpose), text).toString('base64'),
    open: (purpose, sealed) => decrypt(keyFor(purpose), Buffer.from(sealed, 'base64')),
  }
}

/**
 * Seals a text under a passphrase that somebody keeps: format, salt and sealed text, as JSON, so that a later version
 * can tell what it has before it. The key is slow to try (scrypt).
 */
export async function sealWithPassphrase(passphrase: string, text: string): Promise<Buffer> {
  const salt = randomBytes(saltBytes)
  const sealed = encrypt(await stretched(passphrase, salt), text)
  const parts: z.infer<typeof sealedText> = {
    format: 1,
    salt: salt.toString('base64'),
    sealed: sealed.toString('base64'),
  }
  return Buffer.from(`${JSON.stringify(parts)}\n`)
}

/** Undefined for another passphrase, another format, and whatever was tampered with. */
export async function openWithPassphrase(passphrase: string, bytes: Buffer): Promise<string | undefined> {
  const parts = sealedText.safeParse(parsedJson(bytes))
  if (!parts.success) return undefined
  const { salt, sealed } = parts.data
  return decrypt(await stretched(passphrase, Buffer.from(salt, 'base64')), Buffer.from(sealed, 'base64'))
}

const sealedText = z.object({ format: z.literal(1), salt: z.base64(), sealed: z.base64() })

/** One of the equally strong choices of OWASP's Password Storage Cheat Sheet, the one with the least memory: 16 MB. */
const cost = { N: 2 ** 14, r: 8, p: 5 }

function stretched(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // The same letters may be typed as different code points on another machine.
    scrypt(passphrase.normalize('NFC'), salt, 32, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/** Nonce, tag, encrypted text. */
function encrypt(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Undefined where the key is another one, or the bytes were changed. */
function decrypt(key: Buffer, bytes: Buffer): string | undefined {
  if (bytes.length < nonceBytes + tagBytes) return undefined
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, nonceBytes))
  decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
  try {
    const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
    return Buffer.concat([body, decipher.final()]).toString('utf8')
  } catch {
    return undefined
  }
}

const nonceBytes = 12
const tagBytes = 16
const saltBytes = 16
