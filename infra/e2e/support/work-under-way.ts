import { createHash } from 'node:crypto'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFile, stat, writeFile } from 'node:fs/promises'
import { request } from 'node:http'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { longWav } from '@fellowship/api/testing/long-wav'
import { isMissing, opensshOptions } from '@fellowship/api/testing/sftp-programs'
import { tusClient } from '@fellowship/api/testing/tus'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { administrator, signInByCall, type TestSession } from './people.ts'
import type { Product } from './product.ts'
import type { RecordingFile } from './recordings.ts'

/** Of a running product, with a folder for the files of the clients. */
interface Setting {
  readonly product: Product
  readonly folder: string
  /** The address of a recording that was published before. */
  readonly audioUrl: string
}

/** Something that takes its time and was begun; it goes on by itself until the product ends it. */
interface Work {
  /** Resolves when its clients have ended, by themselves or cut off; fails if acknowledged data is lost. */
  ended(): Promise<void>
  /** Goes on at the product that was started again; the titles and hashes that are there beside the published one then. */
  resume(again: Product): Promise<Record<string, string>>
}

interface KindOfWork {
  readonly needs: readonly string[]
  begin(setting: Setting): Promise<Work>
}

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')
export const aWav = (title: string, bytes: number, seed: number): RecordingFile => ({
  name: `2026-11-22_Sam-Desk"${title}".wav`,
  mimeType: 'audio/wav',
  buffer: Buffer.concat([...longWav(bytes, seed)]),
})
/** Published by every product first: long enough to be in transfer for more than half a minute. */
export const published = aWav('Published', 24_000_000, 1)

/** Of work under way, which ends soon: the usual pause between two looks could pass it by. */
const poll = { interval: 50 }
const signIn = ({ url }: Product) => signInByCall(url, administrator)

/** Runs until the product ends it, or the test. */
function runProgram(
  command: string,
  args: readonly string[],
  { input, env }: { input?: string; env?: NodeJS.ProcessEnv } = {},
): Promise<number | null> {
  const program = spawn(command, args, {
    stdio: ['pipe', 'ignore', 'ignore'],
    env: { ...process.env, ...env },
  })
  const ended = once(program, 'exit').then(([code]) => code as number | null)
  onTestFinished(() => void program.kill('SIGKILL'))
  program.stdin.end(input)
  return ended
}

const curl = (file: string, address: string, { options = [] as string[], session }: CurlOptions = {}) =>
  runProgram('curl', ['-sSf', '-o', file, ...options, ...(session ? ['-b', cookieOf(session)] : []), address])
interface CurlOptions {
  options?: string[]
  session?: TestSession
}
const cookieOf = ({ cookies }: TestSession) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')

const sizeOf = (file: string) =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

/** One listener who reads fast enough to finish, and one on a slow line, who resumes. */
const downloads: KindOfWork = {
  needs: ['curl'],
  async begin({ product, folder, audioUrl }) {
    const [quick, slow] = ['quick.wav', 'slow.wav'].map((name) => path.join(folder, name)) as [string, string]
    const whole = sha256(published.buffer)
    const quickly = curl(quick, product.url + audioUrl, { options: ['--limit-rate', '6M'] })
    const slowly = curl(slow, product.url + audioUrl, { options: ['--limit-rate', '400k'] })
    await expect.poll(() => Promise.all([sizeOf(quick), sizeOf(slow)]), poll).not.toContain(0)
    return {
      async ended() {
        expect(await quickly).toBe(0)
        expect(sha256(await readFile(quick))).toBe(whole)
        expect(await slowly).not.toBe(0)
      },
      async resume(again) {
        const arrived = await sizeOf(slow)
        expect(arrived).toBeLessThan(published.buffer.length)
        expect(await curl(slow, again.url + audioUrl, { options: ['-C', '-'] })).toBe(0)
        expect(sha256(await readFile(slow))).toBe(whole)
        return {}
      },
    }
  },
}

/** A resumable upload whose bytes come slowly, and one by the form that never ends. */
const slowUploads: KindOfWork = {
  needs: [],
  async begin({ product }) {
    const recording = aWav('Uploaded slowly', 3_000_000, 2)
    const bytes = recording.buffer
    const session = await signIn(product)
    const { csrfToken } = await call(auth.csrfToken, {}, session)
    const tus = tusClient(session, csrfToken)
    const id = uuidv7(Date.now())
    await tus.create(bytes.length, { jobId: id, filename: recording.name, sha256: sha256(bytes) })
    const first = 1_000_000
    expect(await tus.patch(id, 0, bytes.subarray(0, first))).toMatchObject({ status: 204 })
    // If the end comes between two pieces, the earlier bytes are acknowledged.
    const cutOff = tus.patch(id, first, slowBody(bytes.subarray(first))).then(
      ({ offset }) => offset ?? first,
      () => first,
    )
    const form = endlessForm(session, csrfToken!)
    await expect.poll(() => sizeOf(path.join(product.dataDir, 'uploads', id)), poll).toBeGreaterThan(first)
    return {
      async ended() {
        expect(await cutOff).toBeLessThan(bytes.length)
        expect(await form).not.toBe(200)
      },
      async resume(again) {
        const later = await signIn(again)
        const resumed = tusClient(later, (await call(auth.csrfToken, {}, later)).csrfToken)
        const { offset } = await resumed.head(id)
        expect(offset).toBeGreaterThanOrEqual(await cutOff)
        expect(offset).toBeLessThan(bytes.length)
        expect(await resumed.patch(id, offset!, bytes.subarray(offset))).toMatchObject({ status: 204 })
        await call(uploads.finalize, { params: { id }, body: {} }, later)
        return { 'Uploaded slowly': sha256(bytes) }
      },
    }
  },
}

/** 20 kB at a time, five times a second: longer than a request may go on at the end. */
function slowBody(bytes: Uint8Array): ReadableStream {
  let at = 0
  return new ReadableStream({
    async pull(body) {
      await delay(200)
      body.enqueue(new Uint8Array(bytes.subarray(at, (at += 20_000))))
      if (at >= bytes.length) body.close()
    },
  })
}

/** Half of a form, whose rest never comes; the status of its answer, undefined if there is none. */
function endlessForm(session: TestSession, csrfToken: string): Promise<number | undefined> {
  const { buffer, name } = aWav('Half a form', 2_000_000, 3)
  const boundary = 'a-boundary-of-the-test'
  const head = `--${boundary}\r\ncontent-disposition: form-data; name="audioFile"; filename="${name.replaceAll('"', '%22')}"\r\ncontent-type: audio/wav\r\n\r\n`
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': buffer.length + 1000,
    'x-csrf-token': csrfToken,
    cookie: cookieOf(session),
  }
  const form = request(session.base + uploads.smartUpload.path, { method: 'POST', headers, agent: false })
  const answered = Promise.race([
    once(form, 'response').then(([answer]) => (answer as { statusCode: number }).statusCode),
    once(form, 'close').then(() => undefined),
  ]).catch(() => undefined)
  form.write(head)
  form.write(buffer.subarray(0, buffer.length / 2))
  return answered
}

/** A backup that an administrator downloads on a slow line. */
const aBackup: KindOfWork = {
  needs: ['curl', 'unzip'],
  async begin({ product, folder }) {
    const file = path.join(folder, 'backup.zip')
    const session = await signIn(product)
    const { id } = await call(backup.prepare, {}, session)
    const address = `${backup.createManual.path}?id=${id}`
    const slowly = curl(file, product.url + address, { session, options: ['--limit-rate', '200K'] })
    await expect.poll(() => sizeOf(file), poll).toBeGreaterThan(0)
    return {
      ended: async () => expect(await slowly).not.toBe(0),
      async resume(again) {
        const later = await signIn(again)
        const { backups } = await call(backup.history, {}, later)
        expect(backups.filter((each) => each.id === id)).toMatchObject([{ result: 'interrupted' }])
        // Its plan went with the process: it is refused, and never continued with the bytes of another one.
        const before = sha256(await readFile(file))
        expect(await curl(file, again.url + address, { session: later, options: ['-C', '-'] })).not.toBe(0)
        expect(sha256(await readFile(file))).toBe(before)
        expect(await curl(file, again.url + backup.createManual.path, { session: later })).toBe(0)
        expect(await runProgram('unzip', ['-tqq', file])).toBe(0)
        return {}
      },
    }
  },
}

/** A recording that a sound desk sends with OpenSSH's `sftp`, throttled. */
const aTransfer: KindOfWork = {
  needs: ['sftp'],
  async begin({ product, folder }) {
    const recording = aWav('Sent by sftp', 3_000_000, 4)
    await writeFile(path.join(folder, recording.name), recording.buffer)
    const session = await signIn(product)
    // On a Sunday around noon it would be open already.
    await call(sftp.stop, {}, session)
    await call(sftp.start, {}, session)
    const slowly = await transfer(session, folder, `put '${recording.name}'`, ['-l', '800'])
    await expect
      .poll(() => sizeOf(path.join(product.dataDir, 'sftp-staging', recording.name)), poll)
      .toBeGreaterThan(0)
    return {
      ended: async () => expect(await slowly.ended).not.toBe(0),
      async resume(again) {
        const rest = await transfer(await signIn(again), folder, `reput '${recording.name}'`)
        expect(await rest.ended).toBe(0)
        return { 'Sent by sftp': sha256(recording.buffer) }
      },
    }
  },
}

/** Runs a command of OpenSSH's `sftp` in the folder; `ended` is its exit code. */
async function transfer(
  session: TestSession,
  folder: string,
  command: string,
  options: readonly string[] = [],
): Promise<{ ended: Promise<number | null> }> {
  const { password, port } = await call(sftp.credentials, {}, session)
  const askpass = path.join(folder, 'askpass')
  await writeFile(askpass, `#!/bin/sh\necho '${password}'\n`, { mode: 0o700 })
  const env = { SSH_ASKPASS: askpass, SSH_ASKPASS_REQUIRE: 'force', DISPLAY: ':0' }
  // '-b' turns BatchMode on, which forbids passwords; the first value of an option wins.
  const args = ['-o', 'BatchMode=no', '-b', '-', ...options, ...opensshOptions(port), 'uploads@127.0.0.1']
  const input = `lcd '${folder}'\n${command}\n`
  return { ended: runProgram('sftp', args, { input, env }) }
}

/** Everything that takes its time. */
export const kindsOfWork: Readonly<Record<string, KindOfWork>> = {
  downloads,
  'uploads with a slow body': slowUploads,
  'the download of a backup': aBackup,
  'a transfer by sftp': aTransfer,
}

export const lacksPrograms = ({ needs }: KindOfWork): boolean => needs.some((program) => isMissing(program))
