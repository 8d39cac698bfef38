import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import { testClient, type TestClient } from './test-client.ts'

/** The server in its own process with its own embedded database, for tests that kill it. */
export interface ServerProcess {
  readonly url: string
  readonly pid: number
  /** Its output so far: its address, then one JSON line per logged event. */
  printed(): string
  /** Resolves with the exit code when it has ended. */
  readonly ended: Promise<number | null>
  /** SIGKILL, as in a power cut. Resolves when the process has ended. */
  kill(): Promise<void>
  /** SIGINT: drains and exits. Returns the exit code. */
  stop(): Promise<number | null>
  /** A client signed in as the administrator. */
  signIn(): Promise<TestClient>
}

const email = 'admin@example.org'
const password = 'a-long-sentence-only-you-know'

/** By its place, as the server may be started in any folder. */
const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href

/** The built server when `npm test` has built it, as it starts faster; else the sources. */
export const serverProgram =
  process.env['TEST_BUILT'] === '1'
    ? [path.join(import.meta.dirname, '../../dist/main.mjs')]
    : ['--import', tsx, path.join(import.meta.dirname, '../main.ts')]

/** @param program arguments of Node that run it: that of another release, for one */
export async function startServer(
  dataDir: string,
  env: Record<string, string> = {},
  program: readonly string[] = serverProgram,
): Promise<ServerProcess> {
  const child = spawn(process.execPath, program, {
    cwd: path.join(import.meta.dirname, '../..'),
    env: {
      ...process.env,
      DATA_DIR: dataDir,
      PORT: '0',
      SFTP_HOST: '127.0.0.1',
      SFTP_PORT: '0',
      ADMIN_EMAIL: email,
      ADMIN_PASSWORD: password,
      LOG_LEVEL: 'error',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit').then(([code]) => code as number | null)
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  const url = await addressOf(child)
  const end = async (signal: 'SIGKILL' | 'SIGTERM') => {
    if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
    const exit = once(child, 'exit') as Promise<[number | null]>
    child.kill(signal)
    return (await exit)[0]
  }
  return {
    url,
    pid: child.pid!,
    printed: () => printed,
    ended,
    kill: async () => void (await end('SIGKILL')),
    stop: () => end('SIGTERM'),
    async signIn() {
      const client = testClient(url)
      await call(auth.login, { body: { email, password } }, client)
      return client
    },
  }
}

async function addressOf(child: ChildProcess): Promise<string> {
  let printed = ''
  return new Promise((resolve, reject) => {
    // A wait for it while tests are collected has no limit of its own.
    const late = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`the server did not start within ${startMs / 1000} s: ${printed}`))
    }, startMs)
    child.once('exit', (code) => {
      clearTimeout(late)
      reject(new Error(`the server ended (${code}): ${printed}`))
    })
    child.stdout!.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      const url = / is at (http:\/\/\S+:\d+)\n/.exec(printed)?.[1]
      if (!url) return
      clearTimeout(late)
      resolve(url)
    })
  })
}

const startMs = 120_000

const root = path.resolve(import.meta.dirname, '../../..')

/** The arguments of Node that run a command of the operator from the root: built when `npm test` has built it, else its source. */
export const operatorCommand = (name: string, args: readonly string[]): string[] =>
  process.env['TEST_BUILT'] === '1'
    ? [path.join(root, `api/dist/${name}.mjs`), ...args]
    : ['--import', 'tsx', path.join(root, `infra/dev/${name}.ts`), ...args]
