import { createHash, randomUUID } from 'node:crypto'
import { chmod, link, mkdir, open, readFile, unlink } from 'node:fs/promises'
import path from 'node:path'
import ssh2 from 'ssh2'

/** What proves to clients that the server is the one they met before. */
export interface HostKey {
  /** OpenSSH private key. */
  readonly privateKey: string
  /** 'SHA256:…', as clients show it. */
  readonly fingerprint: string
}

/**
 * The host key of the data folder (mode 0600), made once: another one would make every client warn of an attack.
 *
 * @throws Error with a sentence where the kept one cannot be used
 */
export async function loadHostKey(dataDir: string): Promise<HostKey> {
  const file = path.join(dataDir, 'ssh-host-key')
  const kept = (await readKept(file)) ?? (await makeKept(file))
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

async function readKept(file: string): Promise<string | undefined> {
  try {
    const text = await readFile(file, 'utf8')
    // A copy or an unpacked archive may have widened the mode.
    await chmod(file, 0o600)
    return text
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

async function makeKept(file: string): Promise<string> {
  await mkdir(path.dirname(file), { recursive: true })
  const aside = `${file}.${randomUUID()}`
  const handle = await open(aside, 'wx', 0o600)
  try {
    await handle.writeFile(usableKey())
    await handle.sync()
  } finally {
    await handle.close()
  }
  try {
    // A link, not a rename: of two processes that start at once the first one's key stays.
    await link(aside, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
  } finally {
    await unlink(aside)
  }
  return (await readKept(file))!
}
