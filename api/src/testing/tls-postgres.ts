import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { findBinaries } from '../db/embedded-binaries.ts'
import { chooseUser } from '../db/embedded-folder.ts'
import { freePort } from './free-port.ts'

/** A PostgreSQL on a port, with a certificate for 127.0.0.1 that its own authority signed. */
export interface TlsPostgres {
  readonly port: number
  /** The certificate of its authority, and of another one. */
  readonly authority: string
  readonly otherAuthority: string
  /** From its next reload on it takes encrypted connections alone. */
  wantTls(): Promise<void>
  /** SIGTERM: it waits for the sessions that are open, and takes no others. */
  shutDownSlowly(): void
  stop(): Promise<void>
}

/** Whether openssl is missing, with which the certificates are made; it is required in CI. */
export const isOpensslMissing = (): boolean =>
  !process.env['CI'] && spawnSync('openssl', ['version']).error !== undefined

/** Starts one, with the binaries that npm installed. Connections from this machine are trusted. */
export async function startTlsPostgres(): Promise<TlsPostgres> {
  const as = chooseUser(undefined)
  const { home } = findBinaries(as)
  const folder = mkdtempSync(path.join(tmpdir(), 'tls-pg-'))
  chmodSync(folder, 0o755)
  makeCertificates(folder)
  for (const file of ['.', ...readdirSync(folder)])
    if (as.uid !== undefined) chownSync(path.join(folder, file), as.uid, as.gid!)
  const cluster = path.join(folder, 'data')
  const options = { ...as, cwd: '/', env: { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/bin:/bin' } }
  const program = (name: string) => path.join(home, 'bin', name)
  execFileSync(program('initdb'), ['-D', cluster, '-U', 'church', '-A', 'trust', '--no-sync'], {
    ...options,
    stdio: 'ignore',
  })
  const port = await freePort()
  const settings = {
    listen_addresses: '127.0.0.1',
    port,
    unix_socket_directories: '',
    fsync: 'off',
    ssl_cert_file: path.join(folder, 'server.pem'),
    ssl_key_file: path.join(folder, 'server.key'),
  }
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
  const server = spawn(program('postgres'), ['-D', cluster, ...flags], {
    ...options,
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const ended = once(server, 'exit')
  let printed = ''
  await new Promise<void>((resolve, reject) => {
    server.once('exit', () => reject(new Error(printed)))
    server.stderr.setEncoding('utf8').on('data', (text: string) => {
      printed += text
      if (printed.includes('ready to accept connections')) resolve()
    })
  })
  return {
    port,
    authority: path.join(folder, 'authority.pem'),
    otherAuthority: path.join(folder, 'other.pem'),
    wantTls: () => writeFile(path.join(cluster, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 trust\n'),
    shutDownSlowly: () => void server.kill('SIGTERM'),
    async stop() {
      server.kill('SIGINT')
      await ended
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function makeCertificates(folder: string): void {
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: 'pipe' })
  const fresh = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes']
  for (const name of ['authority', 'other']) {
    const files = ['-keyout', `${name}.key`, '-out', `${name}.pem`, '-days', '2']
    openssl('req', '-x509', ...fresh, '-subj', `/CN=The ${name}`, ...files)
  }
  const signed = ['-CA', 'authority.pem', '-CAkey', 'authority.key', '-days', '2']
  const names = ['-subj', '/CN=database', '-addext', 'subjectAltName=IP:127.0.0.1']
  openssl('req', '-x509', ...fresh, ...signed, ...names, '-keyout', 'server.key', '-out', 'server.pem')
  // PostgreSQL refuses a key that others may read.
  chmodSync(path.join(folder, 'server.key'), 0o600)
}
