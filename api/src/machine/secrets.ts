import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  randomUUID,
  scrypt,
} from 'node:crypto'
import { chmod, link, mkdir, readFile, rename, stat, unlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { z } from 'zod'
import { parsedJson } from './json.ts'

/** Encrypts short secrets at rest: a copy of the database alone does not reveal them. */
export interface Secrets {
  /** @param purpose part of the key: only the same purpose opens it again */
  seal(purpose: string, text: string): string
  /** Undefined if it was sealed under another APP_SECRET or purpose, or was tampered with. */
  open(purpose: string, sealed: string): string | undefined
  /** The same for the same text, without telling which: 64 hexadecimal digits. */
  mark(purpose: string, text: string): string
}

/** AES-256-GCM under a key derived from the application's secret (RFC 5869), one for each purpose. */
export function secretsUnder(appSecret: string): Secrets {
  const derived = (info: string) => Buffer.from(hkdfSync('sha256', appSecret, '', info, 32))
  const keyFor = (purpose: string) => derived(`sealed: ${purpose}`)
  return {
    seal: (purpose, text) => encrypt(keyFor(purpose), text).toString('base64'),
    open: (purpose, sealed) => decrypt(keyFor(purpose), Buffer.from(sealed, 'base64')),
    mark: (purpose, text) =>
      createHmac('sha256', derived(`marked: ${purpose}`))
        .update(text)
        .digest('hex'),
  }
}

/**
 * Encrypts a text under a passphrase: format, salt and ciphertext, as JSON, so that a later version can recognize the
 * format. The key is derived by scrypt, which is slow to brute-force.
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

/** Undefined for a wrong passphrase, another format, or tampered bytes. */
export async function openWithPassphrase(passphrase: string, bytes: Buffer): Promise<string | undefined> {
  const parts = sealedText.safeParse(parsedJson(bytes))
  if (!parts.success) return undefined
  const { salt, sealed } = parts.data
  return decrypt(await stretched(passphrase, Buffer.from(salt, 'base64')), Buffer.from(sealed, 'base64'))
}

const sealedText = z.object({ format: z.literal(1), salt: z.base64(), sealed: z.base64() })

/** OWASP's Password Storage Cheat Sheet: of its equally strong scrypt settings the one with the least memory, 16 MB. */
const cost = { N: 2 ** 14, r: 8, p: 5 }

function stretched(passphrase: string, salt: Buffer): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    // Another machine may type the same letters as different code points.
    scrypt(passphrase.normalize('NFC'), salt, 32, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

/** Nonce, tag, ciphertext. */
function encrypt(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(nonceBytes)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  const body = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
  return Buffer.concat([nonce, cipher.getAuthTag(), body])
}

/** Undefined for a wrong key or changed bytes. */
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

/**
 * Reads a small file that only its owner may read (mode 0600); undefined if there is none.
 *
 * @throws Error with a sentence if it cannot be read
 */
export async function readSecretFile(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    // Copying or unpacking may have widened the mode.
    if (((await stat(file)).mode & 0o077) !== 0) await chmod(file, 0o600)
    return text
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    throw new Error(`${file} cannot be read (${code}). Give its owner back the right to read it.`, {
      cause: error,
    })
  }
}

/** The file's text; if there is none, it is created, once even with concurrent callers. */
export async function readOrCreateSecret(file: string, make: () => string): Promise<string> {
  const kept = await readSecretFile(file)
  if (kept !== undefined) return kept
  const aside = await writeAside(file, make())
  try {
    // A link, not a rename: of two processes that start at once, the first one's file is used.
    await link(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(aside)
  }
  return (await readSecretFile(file))!
}

/** A text written next to the file it will replace, so that replacing it is a mere rename. */
export interface StagedText {
  take(): Promise<void>
  /** Does nothing once it has replaced the file. */
  discard(): Promise<void>
}

/** Writes the text that is to replace the file. */
export async function stageSecretFile(file: string, text: string): Promise<StagedText> {
  const aside = await writeAside(file, text)
  let isTaken = false
  return {
    async take() {
      await rename(aside, file)
      isTaken = true
    },
    async discard() {
      if (!isTaken) await unlink(aside)
    },
  }
}

async function writeAside(file: string, text: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true })
  const aside = `${file}.${randomUUID()}`
  await writeFile(aside, text, { flag: 'wx', mode: 0o600, flush: true })
  return aside
}
