import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { checkMachine } from '../config/check-machine.ts'
import { parseEnv } from '../config/config.ts'
import { startFailure } from '../config/start-failure.ts'
import { openDatabase } from '../db/database.ts'
import { serverProgram } from './server-process.ts'

interface StartOptions {
  /** Root without any of its rights, as far as files of others and ports below 1024 are concerned. */
  withoutRights?: boolean
  /** Its working folder; that of the api by default. */
  cwd?: string
  /** For root: commands of a shell that run before it, in a mount namespace of their own. */
  mounting?: string
}

const apiFolder = path.join(import.meta.dirname, '../..')

const anyPorts = { PORT: '0', SFTP_PORT: '0', SFTP_HOST: '127.0.0.1' }

/**
 * The sentence that a start with these settings ends with, without a process: `main.ts` runs the same two steps, and
 * `failingStart` shows how it ends.
 */
export async function startRefusal(env: Readonly<Record<string, string | undefined>>): Promise<string> {
  const config = parseEnv({ ...anyPorts, ...env })
  try {
    await checkMachine(config)
    await (await openDatabase(config)).close()
  } catch (error) {
    return startFailure(error, config) ?? (error as Error).message
  }
  throw new Error('the start was not refused')
}

/**
 * Starts the server as an operator does, with these settings and nothing else of this environment, and waits for it to
 * end.
 *
 * @returns its exit code, and the lines that it printed on both outputs
 */
export async function failingStart(
  env: Readonly<Record<string, string | undefined>>,
  { withoutRights = false, cwd = apiFolder, mounting }: StartOptions = {},
): Promise<{ code: number | null; lines: string[] }> {
  const isRoot = process.getuid?.() === 0
  const [program, ...args] = [
    ...(mounting === undefined ? [] : ['unshare', '--mount', 'sh', '-ec', `${mounting}; exec "$@"`, 'sh']),
    ...(withoutRights && isRoot ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all'] : []),
    process.execPath,
    ...serverProgram,
  ]
  const child = spawn(program!, args, {
    cwd,
    env: { PATH: process.env['PATH'], ...anyPorts, ...env },
  })
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (said += text))
  child.stderr.setEncoding('utf8').on('data', (text: string) => (said += text))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, lines: said.trim().split('\n') }
}
