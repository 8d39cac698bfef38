/**
 * `npm run release:check`: unpacks the archive of `npm run release` into an empty folder and runs it there, with the Node
 * that runs this command and nothing of the sources: first start, sign-in, upload, playing, hints, backup, stop, a second
 * start, a command. Ends with an error at the first thing that is not as it should be; a slow start is only reported, as the machine may
 * be slow.
 */
import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { cookieTransport } from './cookie-transport.ts'
import { freePort } from '@fellowship/api/testing/free-port'
import { waitUntilReady } from './ready.ts'

const root = path.resolve(import.meta.dirname, '../..')
const out = path.join(root, 'out/release')
/** The limits of a release. */
const most = { megabytes: 200, firstStartSeconds: 15, laterStartSeconds: 3 }
const account = { email: 'admin@example.org', password: 'a-password-for-this-check' }

const folder = await mkdtemp(path.join(tmpdir(), 'release-'))
// The embedded PostgreSQL may run as another user, and needs to get to its programs and its folder.
await chmod(folder, 0o755)
const release = path.join(folder, 'release')
const dataDir = path.join(folder, 'data')
let running: ChildProcess | undefined
try {
  await step('unpacked', unpack)
  await checkSize()
  checkNativeCiphers()
  const url = await step('first start', start, most.firstStartSeconds)
  await step('signed in, uploaded, played, told of changes, backed up', () => walk(url))
  await step('stopped', stop)
  const again = await step('second start', start, most.laterStartSeconds)
  await step('the recording is still there', () => expectRecording(again))
  await step('stopped', stop)
  await step('a command', command)
} finally {
  running?.kill('SIGKILL')
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

async function step<T>(name: string, work: () => Promise<T>, mostSeconds = Infinity): Promise<T> {
  const started = performance.now()
  const result = await work()
  const seconds = (performance.now() - started) / 1000
  const late = seconds > mostSeconds ? `, more than ${mostSeconds} s: is the machine busy?` : ''
  say(`${name}, ${seconds.toFixed(1)} s${late}`)
  return result
}

function say(what: string): void {
  console.log(`Node ${process.versions.node}: ${what}`)
}

async function checkSize(): Promise<void> {
  const entries = await readdir(release, { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(
    files.map(async (file) => (await stat(path.join(file.parentPath, file.name))).size),
  )
  const megabytes = Math.round(sizes.reduce((sum, size) => sum + size, 0) / 1e6)
  say(`${megabytes} MB in ${files.length} files`)
  expectEqual(megabytes <= most.megabytes, true, `at most ${most.megabytes} MB (${megabytes})`)
}

/** It is for the Node that the release was built with; with another one ssh2 goes without, which has to be as quiet. */
function checkNativeCiphers(): void {
  const script = `const { createRequire } = require('node:module')
const load = createRequire(${JSON.stringify(path.join(release, 'start.mjs'))})
console.log(load('ssh2/lib/protocol/crypto.js').bindingAvailable)`
  const said = execFileSync(process.execPath, ['-e', script], { encoding: 'utf8' }).trim()
  const ownPart = path.join(root, 'node_modules/ssh2/lib/protocol/crypto/build/Release/sshcrypto.node')
  const isBuiltForThis = loads(ownPart)
  say(`SFTP by ${said === 'true' ? "ssh2's native part" : "Node's own ciphers"}`)
  expectEqual(said, String(isBuiltForThis), "whether ssh2's native part is loaded")
}

function loads(nativePart: string): boolean {
  try {
    createRequire(import.meta.url)(nativePart)
    return true
  } catch {
    return false
  }
}

async function unpack(): Promise<void> {
  const [sum, archive] = (await readFile(path.join(out, 'SHA256SUMS'), 'utf8')).trim().split('  ')
  const bytes = await readFile(path.join(out, archive!))
  expectEqual(createHash('sha256').update(bytes).digest('hex'), sum, 'the checksum of the archive')
  await mkdir(release)
  execFileSync('tar', ['-xzf', path.join(out, archive!), '-C', release, '--strip-components', '1'])
}

/** @returns the address */
async function start(): Promise<string> {
  const port = await freePort()
  running = spawn(process.execPath, ['start.mjs'], {
    cwd: release,
    env: { ...productEnv(), PORT: String(port) },
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const url = `http://127.0.0.1:${port}`
  await waitUntilReady(url, running)
  return url
}

function productEnv(): NodeJS.ProcessEnv {
  return {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    DATA_DIR: dataDir,
    SFTP_HOST: '127.0.0.1',
    SFTP_PORT: '0',
    ADMIN_EMAIL: account.email,
    ADMIN_PASSWORD: account.password,
    LOG_LEVEL: 'error',
  }
}

async function stop(): Promise<void> {
  const ended = once(running!, 'exit')
  running!.kill('SIGTERM')
  expectEqual((await ended)[0], 0, 'the exit code after SIGTERM')
}

async function walk(url: string): Promise<void> {
  const browser = cookieTransport(url)
  const page = await fetch(url)
  expectEqual(
    [page.status, (await page.text()).includes('Bulls Christian Fellowship')],
    [200, true],
    'the first page',
  )
  await call(auth.login, { body: account }, browser)
  const { next } = (await call(sync.pull, {}, browser)) as { next: string }
  const leave = new AbortController()
  const hints = (await fetch(`${url}${sync.events.path}`, { signal: leave.signal })).body!.pipeThrough(
    new TextDecoderStream(),
  )
  const fixture = await readFile(path.join(root, 'infra/dev/fixtures/cbr.mp3'))
  const audioFile = new File([new Uint8Array(fixture)], 'recording.mp3')
  const body = { title: 'The release', speaker: 'Ann Smith', date: '2026-11-15', scriptureReference: '' }
  await call(uploads.smartUpload, { body, files: { audioFile } }, browser)
  let heard = ''
  for await (const text of hints) {
    heard += text
    if (heard.includes('event: changed')) break
  }
  leave.abort()
  const delta = (await call(sync.pull, { query: { since: next } }, browser)) as { changes: unknown[] }
  expectEqual(delta.changes.length, 1, 'the changes since the upload')
  await expectRecording(url)
  const { id, bytes } = await call(backup.prepare, {}, browser)
  const file = await browser.fetch(`${url}${backup.createManual.path}?id=${id}`)
  expectEqual((await file.arrayBuffer()).byteLength, bytes, 'the length of the backup')
}

async function expectRecording(url: string): Promise<void> {
  const [teaching, ...more] = await call(teachings.list, {}, cookieTransport(url))
  expectEqual([teaching?.title, more.length], ['The release', 0], 'the library')
  const part = await fetch(url + teaching!.audioUrl!, { headers: { range: 'bytes=0-999' } })
  expectEqual([part.status, (await part.arrayBuffer()).byteLength], [206, 1000], 'a part of the recording')
}

async function command(): Promise<void> {
  const said = execFileSync(process.execPath, ['api/dist/admin-unlock.mjs', account.email], {
    cwd: release,
    env: productEnv(),
    encoding: 'utf8',
  })
  expectEqual(said.includes(`${account.email} can sign in again.`), true, `admin:unlock (${said.trim()})`)
}

function expectEqual(found: unknown, wanted: unknown, what: string): void {
  const [is, should] = [JSON.stringify(found), JSON.stringify(wanted)]
  if (is !== should) throw new Error(`${what}: ${is} instead of ${should}`)
}
