import { createHash, timingSafeEqual } from 'node:crypto'
import { createServer, type AddressInfo, type Socket } from 'node:net'
import { church } from '@fellowship/schema/church'
import ssh2, { type AuthContext, type Connection } from 'ssh2'
import { addressGroup } from '../network-address.ts'
import type { OfferedKey } from './ssh-keys.ts'
import type { ServedFiles } from './ssh-files.ts'
import { holdForOffer, offeredCiphers, preferGcm, type ClientCiphers } from './ssh-ciphers.ts'
import { connectionGate, handshakeTurns, type GateLimits, type TurnLimits } from './ssh-gate.ts'
import { hasNativeCiphers, socketOf } from './ssh-private-parts.ts'
import { handleRoom } from './ssh-open-file.ts'
import { serveSftp } from './ssh-sftp.ts'

export interface SshServerOptions {
  host: string
  port: number
  /** OpenSSH private key. */
  hostKey: string
  username: string
  password: () => Promise<string>
  isAuthorized: (key: OfferedKey) => Promise<boolean>
  /** Called before a connection is answered, and again before its handshake. */
  isBanned: (address: string) => boolean
  /** Called for a wrong password or key from this address. */
  onWrongTry: (address: string) => void
  /** Called after sign-in: whether new sessions are still allowed. */
  mayEnter: () => boolean
  onFault: (error: unknown) => void
  files: ServedFiles
  /** Whether ssh2's native part enciphers; by default if it is there. */
  hasNative?: boolean
  limits: GateLimits &
    TurnLimits & {
      triesPerConnection: number
      handshakeSeconds: number
      idleMinutes: number
      channels: number
      openFiles: number
      openFilesInAll: number
    }
}

export interface SshServer {
  readonly port: number
  /** Closes all connections; files that are being written are left incomplete. */
  close(): Promise<void>
}

/**
 * An SSH server for SFTP only: no shell, no commands, no forwarding.
 *
 * @throws the system's error if the port cannot be listened on
 */
export async function startSshServer(options: SshServerOptions): Promise<SshServer> {
  const gate = connectionGate(options.limits)
  const turns = handshakeTurns(options.limits)
  const { hostKey, hasNative = hasNativeCiphers } = options
  const protocol = new ssh2.Server(
    { hostKeys: [hostKey], ident: identOf(church().shortName), algorithms: algorithms(hasNative) },
    () => undefined,
  )
  const admissions = new WeakMap<object, (connection: Connection) => void>()
  protocol.on('connection', (connection: Connection) => {
    admissions.get(socketOf(connection))?.(connection)
  })
  const listener = createServer({ noDelay: true, keepAlive: true, pauseOnConnect: true }, (socket) => {
    const address = socket.remoteAddress && addressGroup(socket.remoteAddress)
    socket.on('error', () => undefined)
    if (!address || options.isBanned(address)) return void socket.destroy()
    const admission = gate.enter(socket, address)
    const late = setTimeout(() => socket.destroy(), options.limits.handshakeSeconds * 1000)
    socket.once('close', () => clearTimeout(late))
    let clientCiphers: (() => ClientCiphers | undefined) | undefined
    admissions.set(socket, (connection) => {
      if (clientCiphers) preferGcm(connection, clientCiphers())
      connection.on('error', () => undefined)
      const onWrongTry = (from: string) => {
        turns.forget(from)
        options.onWrongTry(from)
      }
      connection.on('authentication', signIn(connection, address, { ...options, onWrongTry }))
      connection.on('ready', () => {
        clearTimeout(late)
        if (!options.mayEnter() || !admission.signedIn()) return void connection.end()
        turns.remember(address)
        // Refreshed by SFTP requests, not by bytes: keep-alives must not keep an idle session open.
        const idle = setTimeout(() => socket.destroy(), options.limits.idleMinutes * 60_000)
        socket.once('close', () => clearTimeout(idle))
        let channels = 0
        connection.on('session', (accept, reject) => {
          if (channels >= options.limits.channels) return reject()
          channels += 1
          const session = accept()
          session.once('close', () => (channels -= 1))
          session.on('sftp', (acceptSftp) => {
            serveSftp(acceptSftp(), { ...sftpOptions, socket, onRequest: () => idle.refresh() })
          })
        })
      })
    })
    turns.wait(address, () => {
      // Banned or evicted while it waited.
      if (options.isBanned(address)) socket.destroy()
      if (socket.destroyed) return false
      protocol.injectSocket(socket)
      takeInTurns(socket)
      if (!hasNative) clientCiphers = holdForOffer(socket)
      socket.resume()
      return true
    })
  })
  const sftpOptions = {
    files: options.files,
    room: handleRoom(options.limits.openFilesInAll),
    openFiles: options.limits.openFiles,
    onFault: options.onFault,
  }
  await new Promise<void>((resolve, reject) => {
    listener.once('error', reject)
    listener.listen(options.port, options.host, resolve)
  })
  listener.on('error', options.onFault)
  return {
    port: (listener.address() as AddressInfo).port,
    async close() {
      turns.close()
      const closed = new Promise<void>((resolve) => listener.close(() => resolve()))
      for (const socket of gate.sockets()) socket.destroy()
      await closed
    },
  }
}

/**
 * Algorithms considered secure today. Of the finite-field groups only the smallest: groups 16 and 18 cost the server several
 * times as much, and clients that support them support curve25519. Plain hmac-sha2-256 besides the encrypt-then-MAC ones:
 * libssh2 1.10, used by Debian 12's curl, supports no other.
 */
const algorithms = (hasNative: boolean): ssh2.Algorithms => ({
  kex: ['curve25519-sha256', 'curve25519-sha256@libssh.org', 'diffie-hellman-group14-sha256'],
  serverHostKey: ['ssh-ed25519'],
  cipher: offeredCiphers(hasNative),
  hmac: ['hmac-sha2-256-etm@openssh.com', 'hmac-sha2-512-etm@openssh.com', 'hmac-sha2-256', 'hmac-sha2-512'],
  compress: ['none'],
})

const methods: ('password' | 'publickey')[] = ['password', 'publickey']

function signIn(connection: Connection, address: string, options: SshServerOptions) {
  let wrong = 0
  const refuse = (context: AuthContext) => {
    wrong += 1
    options.onWrongTry(address)
    if (wrong >= options.limits.triesPerConnection) connection.end()
    else context.reject(methods)
  }
  return (context: AuthContext) => {
    if (context.method !== 'password' && context.method !== 'publickey') return context.reject(methods)
    isRight(context, options).then(
      (right) => {
        if (right) context.accept()
        // A key without a signature is a query, not a failed try: clients offer all their keys.
        else if (context.method === 'publickey' && !context.signature) context.reject(methods)
        else refuse(context)
      },
      (error: unknown) => {
        options.onFault(error)
        context.reject(methods)
      },
    )
  }
}

async function isRight(context: AuthContext, options: SshServerOptions): Promise<boolean> {
  const isUser = equal(context.username, options.username)
  if (context.method === 'password') {
    const isPassword = equal(context.password, await options.password())
    return isUser && isPassword
  }
  if (context.method !== 'publickey' || !isUser) return false
  const { key, signature, blob, hashAlgo } = context
  return options.isAuthorized({
    algorithm: key.algo,
    publicKey: key.data,
    ...(signature && blob && { proof: { signature, signed: blob, hash: hashAlgo } }),
  })
}

/** Constant-time comparison. */
function equal(given: string, right: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(right))
}

/**
 * Yields to the event loop after every 64 KB: a fast sender otherwise delivers two megabytes in one turn, which delays every
 * other request.
 */
function takeInTurns(socket: Socket): void {
  let taken = 0
  socket.on('data', (data) => {
    taken += data.length
    if (taken < bytesPerTurn) return
    taken = 0
    socket.pause()
    setImmediate(() => socket.resume())
  })
}

const bytesPerTurn = 64 * 1024

/** The church's short name as clients see it before they sign in: RFC 4253 takes printable ASCII here, without spaces and dashes. */
function identOf(name: string): string {
  const ascii = name.normalize('NFD').replaceAll(/[^\w.]/g, '')
  return ascii.slice(0, 40) || 'SFTP'
}
