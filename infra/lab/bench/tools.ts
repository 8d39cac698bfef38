import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { cpus } from 'node:os'
import path from 'node:path'

const tools = {
  nginx: { versionArgs: ['-v'], package: 'nginx-light' },
  wrk: { versionArgs: ['-v'], package: 'wrk' },
  taskset: { versionArgs: ['-V'], package: 'util-linux' },
  sftp: { versionArgs: ['-V'], package: 'openssh-client' },
  zip: { versionArgs: ['-v'], package: 'zip' },
  // It has no version option, but prints its version with the error.
  sshd: { versionArgs: ['-V'], package: 'openssh-server' },
} as const
export type Tool = keyof typeof tools

/** The version a program reports; undefined if it is not installed. */
export function versionOf(tool: Tool): string | undefined {
  const { error, stdout, stderr } = spawnSync(tool, tools[tool].versionArgs, {
    encoding: 'utf8',
    env: withSbin(),
  })
  if (error) return undefined
  return /\d+\.\d+(\.\d+)?/.exec(`${stdout}${stderr}`)?.[0] ?? 'unknown'
}

/** The Debian package that contains a tool. */
export const packageOf = (tool: Tool): string => tools[tool].package

/** The environment with the sbin folders, which ordinary users do not have in PATH. */
export const withSbin = () => ({ ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/sbin` })

/**
 * The absolute path of a program.
 *
 * @throws Error if it is not installed
 */
export function programPath(tool: Tool): string {
  const folders = withSbin().PATH.split(path.delimiter)
  const found = folders.map((folder) => path.join(folder, tool)).find((file) => existsSync(file))
  if (!found) throw new Error(`${tool} is not installed.`)
  return found
}

/** With two cores, servers run on one and load generators on the other. */
const canPin = cpus().length > 1 && versionOf('taskset') !== undefined
export type Core = 'server' | 'load'
const cores: Record<Core, string> = { server: '0', load: '1' }

/** A command line that runs a program on one core. */
export function pinned(core: Core, command: string, args: string[]): [string, string[]] {
  return canPin ? ['taskset', ['-c', cores[core], command, ...args]] : [command, args]
}

/** Moves every thread of a running process to one core. */
export function pin(core: Core, pid: number): void {
  move(['-a'], cores[core], pid)
}

/** Moves the first thread of a process to one core; in a renderer that is the main thread of its page. */
export function pinFirstThread(core: Core, pid: number): void {
  move([], cores[core], pid)
}

/** Removes the core from every thread of a process. */
export function unpin(pid: number): void {
  move(['-a'], `0-${cpus().length - 1}`, pid)
}

/** taskset fails if a thread ends while it moves them; then it is retried. */
function move(which: readonly string[], where: string, pid: number): void {
  if (!canPin) return
  const args = [...which, '-c', '-p', where, String(pid)]
  for (let triesLeft = 10; triesLeft > 0; triesLeft -= 1) {
    if (spawnSync('taskset', args).status === 0 || !isRunning(pid)) return
  }
  throw new Error(`The threads of process ${pid} could not be moved to core ${where}.`)
}

const isRunning = (pid: number) => existsSync(`/proc/${pid}`)
