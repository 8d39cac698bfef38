import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

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
    seal(purpose, text) {
      const nonce = randomBytes(nonceBytes)
      const cipher = createCipheriv('aes-256-gcm', keyFor(purpose), nonce)
      const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body]).toString('base64')
    },
    open(purpose, sealed) {
      const bytes = Buffer.from(sealed, 'base64')
      if (bytes.length < nonceBytes + tagBytes) return undefined
      const decipher = createDecipheriv('aes-256-gcm', keyFor(purpose), bytes.subarray(0, nonceBytes))
      decipher.setAuthTag(bytes.subarray(nonceBytes, nonceBytes + tagBytes))
      try {
        const body = decipher.update(bytes.subarray(nonceBytes + tagBytes))
        return Buffer.concat([body, decipher.final()]).toString('utf8')
      } catch {
        return undefined
      }
    },
  }
}

const nonceBytes = 12
const tagBytes = 16
