import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '@fellowship/api/testing/free-port'
import { pinned, programPath } from './tools.ts'

/** A server for OpenSSH's client, and the key to sign in with. */
export interface SftpPlace {
  port: number
  username: string
  keyFile: string
  /** The remote folder, with a trailing slash. */
  folder: string
}

export interface Sshd extends SftpPlace {
  /** The line for the authorized_keys of another server. */
  publicKey: string
  stop(): Promise<void>
}

/** The yardstick for SFTP: OpenSSH's sshd with its sftp-server as a subsystem, as Debian ships both. */
export async function startSshd(): Promise<Sshd> {
  const home = await mkdtemp(path.join(tmpdir(), 'bench-sshd-'))
  // sshd ignores keys in a folder that is writable by others.
  await chmod(home, 0o700)
  const [hostKey, keyFile] = [path.join(home, 'host_key'), path.join(home, 'key')]
  for (const file of [hostKey, keyFile])
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'bench', '-f', file])
  const publicKey = await readFile(`${keyFile}.pub`, 'utf8')
  const port = await freePort()
  const configuration = path.join(home, 'sshd_config')
  await writeFile(
    configuration,
    `ListenAddress 127.0.0.1
Port ${port}
HostKey ${hostKey}
AuthorizedKeysFile ${keyFile}.pub
PidFile none
StrictModes no
UsePAM no
PermitRootLogin prohibit-password
Subsystem sftp /usr/lib/openssh/sftp-server
`,
  )
  // sshd re-executes itself for each connection and therefore needs its absolute path.
  const [command, args] = pinned('server', programPath('sshd'), ['-D', '-e', '-f', configuration])
  const server = spawn(command, args, { stdio: ['ignore', 'ignore', 'pipe'] })
  let errors = ''
  server.stderr.setEncoding('utf8').on('data', (text: string) => (errors = (errors + text).slice(-500)))
  const stop = async () => {
    if (server.exitCode === null) {
      const ended = once(server, 'exit')
      server.kill('SIGTERM')
      await ended
    }
    await rm(home, { recursive: true, force: true })
  }
  const place = { port, username: userInfo().username, keyFile, folder: `${home}/` }
  for (let tries = 0; (await transfer(place, 'pwd').catch(() => undefined)) === undefined; tries += 1) {
    if (server.exitCode !== null || tries > 50) {
      await stop()
      throw new Error(`sshd did not start: ${errors}`)
    }
    await sleep(100)
  }
  return { ...place, publicKey, stop }
}

const connectOptions = ({ keyFile }: SftpPlace): string[] => [
  '-q',
  ...[
    'StrictHostKeyChecking=no',
    'UserKnownHostsFile=/dev/null',
    'IdentitiesOnly=yes',
    'LogLevel=ERROR',
  ].flatMap((option) => ['-o', option]),
  '-i',
  keyFile,
]

/**
 * Runs commands in one session of OpenSSH's sftp; the duration of the process in milliseconds.
 *
 * @throws Error with its output if a command failed
 */
export async function transfer(place: SftpPlace, commands: string): Promise<number> {
  const [command, args] = pinned('load', 'sftp', [
    ...connectOptions(place),
    '-P',
    String(place.port),
    '-b',
    '-',
    `${place.username}@127.0.0.1`,
  ])
  const started = performance.now()
  const client = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'] })
  let errors = ''
  client.stderr.setEncoding('utf8').on('data', (text: string) => (errors += text))
  client.stdin.end(`${commands}\n`)
  const [code] = (await once(client, 'close')) as [number]
  if (code !== 0) throw new Error(`sftp ended with ${code}: ${errors}`)
  return performance.now() - started
}
