import { execFile, spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '@fellowship/api/testing/free-port'

export interface Product {
  readonly url: string
  readonly dataDir: string
  readonly process: ChildProcess
  /** Everything the server has printed. */
  output(): string
  /** Stops it with SIGTERM and waits. */
  stop(): Promise<void>
  /** Kills it with SIGKILL and waits. */
  kill(): Promise<void>
  /** Starts it again on the same port and data folder, with changed settings if given. */
  startAgain(changed?: Record<string, string>): Promise<Product>
}

const root = path.resolve(import.meta.dirname, '../../..')

export const administrator = { email: 'admin@example.org', password: 'a-password-for-tests' }

/**
 * Starts the built product as `npm start` does, on a free port. Without `dataDir` its data folder is temporary: empty, or a
 * copy of `startedOnce`, and removed on stop. With `byNpm` its process is npm, which has started the server.
 *
 * @throws Error with the output if it exits before it is ready
 */
export async function startProduct(
  env: Record<string, string> = {},
  {
    dataDir,
    startedOnce,
    port,
    keep = dataDir !== undefined,
    byNpm = false,
  }: { dataDir?: string; startedOnce?: string; port?: number; keep?: boolean; byNpm?: boolean } = {},
): Promise<Product> {
  const folder = dataDir ?? (await mkdtemp(path.join(tmpdir(), 'product-')))
  // -a keeps owner and mode: the database may belong to another user.
  if (startedOnce) await promisify(execFile)('cp', ['-a', `${startedOnce}/.`, folder])
  const command = byNpm ? ['npm', 'start'] : [process.execPath, path.join(root, 'api/dist/main.mjs')]
  const child = spawn(command[0]!, command.slice(1), {
    cwd: root,
    env: {
      PATH: process.env['PATH'],
      HOME: process.env['HOME'],
      NODE_ENV: 'production',
      DATA_DIR: folder,
      PORT: String(port ?? (await freePort())),
      SFTP_HOST: '127.0.0.1',
      SFTP_PORT: '0',
      ADMIN_EMAIL: administrator.email,
      ADMIN_PASSWORD: administrator.password,
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  // Killed with this process, also when a test run is aborted.
  const endWithUs = () => void child.kill('SIGKILL')
  process.once('exit', endWithUs)
  child.once('exit', () => process.off('exit', endWithUs))
  let output = ''
  const url = await new Promise<string>((resolve, reject) => {
    const read = (data: Buffer) => {
      output += data.toString()
      const found = /https?:\/\/(localhost|127\.0\.0\.1):\d+/.exec(output)
      if (found) resolve(found[0])
    }
    child.stdout.on('data', read)
    child.stderr.on('data', read)
    child.once('exit', (code) => reject(new Error(`The product ended with ${code}:\n${output}`)))
  })
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (child.exitCode !== null || child.signalCode !== null) return
    const exited = once(child, 'exit')
    child.kill(signal)
    await exited
  }
  return {
    url,
    dataDir: folder,
    process: child,
    output: () => output,
    kill: () => end('SIGKILL'),
    startAgain: (changed) =>
      startProduct({ ...env, ...changed }, { dataDir: folder, port: Number(new URL(url).port), keep }),
    async stop() {
      await end('SIGTERM')
      if (!keep) await rm(folder, { recursive: true, force: true, maxRetries: 5 })
    },
  }
}
