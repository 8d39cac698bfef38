import { spawn, type ChildProcess } from 'node:child_process'
import { closeSync, openSync, rmSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'
import type { KernelLock } from '../machine/kernel-lock.ts'
import { asSeenByServer, type DatabaseFolder, type RunAs } from './embedded-folder.ts'
import { endOrphan, killWithProcesses, postmasterOf } from './embedded-owner.ts'

/** The embedded PostgreSQL, reached over a unix socket in a private folder. */
export interface EmbeddedServer {
  /** The `host` of a connection. It stays the same over restarts. */
  readonly socketFolder: string
  /** The postmaster's process id. */
  pid(): number | undefined
  /**
   * Shuts it down: open transactions are rolled back, no process and no socket are left. One that is known to hang is killed
   * after six seconds, as no signal but that reaches a frozen process.
   */
  stop(known?: { hangs: boolean }): Promise<void>
}

interface SupervisedServer {
  program: string
  place: DatabaseFolder
  /** Inherited by every process of PostgreSQL. */
  lock: KernelLock
  socketFolder: string
  as: RunAs
  dataDir: string
  throwaway?: boolean
  onRestart?: (why: string) => void
}

/** Starts the server, and restarts it at the same address when it ends by itself. */
export async function supervise(server: SupervisedServer): Promise<EmbeddedServer> {
  let stopping = false
  let child = await launch(server)
  const ended = untilEnd()

  /** Resolves once the server has ended and is not restarted. */
  async function untilEnd(): Promise<void> {
    const how = await exitOf(child)
    if (stopping) return
    server.onRestart?.(`PostgreSQL ended by itself (${how}); it is being started again`)
    for (let wait = 100; !stopping; wait = Math.min(wait * 2, 5000)) {
      await delay(wait)
      try {
        await endOrphan(server.place.cluster)
        child = await launch(server)
        if (stopping) end(child)
        return await untilEnd()
      } catch (error) {
        server.onRestart?.((error as Error).message)
      }
    }
  }

  return {
    socketFolder: server.socketFolder,
    pid: () => postmasterOf(server.place.cluster),
    async stop({ hangs } = { hangs: false }) {
      stopping = true
      end(child)
      const quit = setTimeout(() => harder(server, 'SIGQUIT'), hangs ? 3_000 : 15_000)
      const kill = setTimeout(() => harder(server, 'SIGKILL'), hangs ? 6_000 : 20_000)
      await ended
      clearTimeout(quit)
      clearTimeout(kill)
      rmSync(server.socketFolder, { recursive: true, force: true })
      if (server.throwaway) rmSync(server.dataDir, { recursive: true, force: true })
    },
  }
}

/**
 * A shell between this process and PostgreSQL holds a pipe from this process: when the pipe ends, on `stop` or because this
 * process was killed, it shuts PostgreSQL down fast (SIGINT) and removes its socket folder. Signals to the whole group or
 * container do not end it: this process drains first. Descriptor 4 is the lock, which PostgreSQL inherits; the watcher
 * does not, so that the lock ends with PostgreSQL.
 */
const keeper = `
trap '' INT TERM HUP
exec 5<&0
(trap - INT TERM HUP; exec "$@" </dev/null 5<&-) & server=$!
(exec 4<&-; while read -r _ <&5; do :; done; : >"$SOCKETS/stopping"; kill -INT $server) 2>/dev/null & watcher=$!
wait $server; code=$?
if [ -e "$SOCKETS/stopping" ]; then rm -rf "$SOCKETS" "$THROWAWAY"; else kill -KILL $watcher; fi 2>/dev/null
exit $code`

async function launch({ program, place, lock, socketFolder, as, dataDir, throwaway }: SupervisedServer) {
  const settings = {
    listen_addresses: '',
    unix_socket_directories: socketFolder,
    max_connections: '60',
    shared_buffers: '64MB',
    // Test files run many servers at once.
    ...(throwaway && {
      max_connections: '200',
      fsync: 'off',
      full_page_writes: 'off',
      synchronous_commit: 'off',
    }),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const descriptor = openSync(place.folder, 'r')
  const command = [program, '-D', asSeenByServer(place, 'data'), ...flags]
  const child = spawn('/bin/sh', ['-c', keeper, 'sh', ...command], {
    ...as,
    cwd: '/',
    env: {
      LC_ALL: 'C',
      TZ: 'UTC',
      PATH: '/usr/bin:/bin',
      SOCKETS: socketFolder,
      THROWAWAY: throwaway ? dataDir : socketFolder,
    },
    // A process group of its own, so that Ctrl-C reaches this process only, which drains first.
    detached: true,
    stdio: ['pipe', 'ignore', 'pipe', descriptor, lock.descriptor],
  })
  closeSync(descriptor)
  child.stdin!.on('error', () => {
    // The shell has ended; its exit is handled elsewhere.
  })
  await ready(child, place.folder)
  return child
}

/** Resolves once connections are accepted; later output of PostgreSQL is read and dropped. */
async function ready(child: ChildProcess, folder: string): Promise<void> {
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('exit', (code) => {
      reject(embeddedFault(`PostgreSQL did not start (${code})`, folder, printed))
    })
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      printed = (printed + text).slice(-4000)
      if (printed.includes('database system is ready to accept connections')) resolve()
    })
  })
  child.removeAllListeners('exit')
  child.stderr!.removeAllListeners('data').resume()
}

function exitOf(child: ChildProcess): Promise<string> {
  return new Promise((resolve) => child.once('exit', (code, signal) => resolve(String(signal ?? code))))
}

function end(child: ChildProcess): void {
  child.stdin!.end()
}

function harder({ place }: SupervisedServer, name: 'SIGQUIT' | 'SIGKILL'): void {
  const pid = postmasterOf(place.cluster)
  if (pid === undefined) return
  try {
    if (name === 'SIGKILL') killWithProcesses(pid)
    else process.kill(pid, name)
  } catch {
    // It has just ended.
  }
}

/** Texts of the embedded PostgreSQL's programs for a fault of the disk, and the system's code for it. */
const diskFaults: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, 'ENOSPC'],
  [/Disk quota exceeded/, 'EDQUOT'],
  [/Read-only file system/, 'EROFS'],
  [/(?:FATAL|PANIC|error): .*(?:Permission denied|has wrong ownership)/, 'EACCES'],
  [/Input\/output error/, 'EIO'],
]

/**
 * The error for a program of PostgreSQL that gave up: a fault of the disk as the system's own error, so that it is told
 * in the same sentence as any other; else the program's own reason, in one line.
 *
 * @param what such as "PostgreSQL did not start"
 * @param folder that it worked in
 * @param printed all that it printed
 */
export function embeddedFault(what: string, folder: string, printed: string): Error {
  const code = diskFaults.find(([pattern]) => pattern.test(printed))?.[1]
  const reason = /(?:FATAL|PANIC|error): +(.*)/.exec(printed)?.[1] ?? printed.trim().replaceAll(/\s+/g, ' ')
  const error = new Error(`${what}: ${reason || 'it said nothing'}`)
  return code === undefined ? error : Object.assign(error, { code, path: folder })
}
