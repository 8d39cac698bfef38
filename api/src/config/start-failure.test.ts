import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { failingStart, startRefusal } from '../testing/failing-start.ts'
import { oddSettings } from './check-machine.ts'
import { parseEnv } from './config.ts'
import { startFailure } from './start-failure.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'start-'))
const servers: Server[] = []
const takenPort = String(await listening(() => undefined))
afterAll(() => {
  for (const server of servers) server.close()
  chmodSync(closed, 0o700)
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** Answers a connection with the bytes of PostgreSQL's or PgBouncer's refusal. */
const refusing = (code: string, message: string) =>
  listening((socket) => {
    const fields = Buffer.from(`SFATAL\0C${code}\0M${message}\0\0`)
    const head = Buffer.from('E\0\0\0\0')
    head.writeInt32BE(fields.length + 4, 1)
    socket.once('data', () => socket.end(Buffer.concat([head, fields])))
  })
const [bouncerPort, starterPort, silentPort] = await Promise.all([
  refusing('08P01', 'unsupported startup parameter: statement_timeout'),
  refusing('57P03', 'the database system is starting up'),
  // Accepts connections and sends nothing, as behind a firewall that drops packets.
  listening(() => undefined),
])

const file = path.join(folder, 'file')
writeFileSync(file, '')
const closed = path.join(folder, 'closed')
mkdirSync(closed)
chmodSync(closed, 0)
const dataDir = path.join(folder, 'data')

// Of each step of the start that refuses settings.
test.each<[Record<string, string>, RegExp]>([
  [{ PORT: takenPort }, /PORT is \d+, which another program on this machine has\..*PORT=\d+$/],
  [
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:9/c' },
    /DATABASE_URL leads to 127\.0\.0\.1:9, where nothing answers/,
  ],
])('a start with %o ends with one sentence, no trace', async (env, sentence) => {
  const { code, lines } = await failingStart({ DATA_DIR: dataDir, ...env })
  expect(lines).toEqual([expect.stringMatching(sentence)])
  expect(code).toBe(1)
})

test.each<[Record<string, string>, RegExp]>([
  [{ HOST: '192.0.2.1' }, /HOST is 192\.0\.2\.1, which is no address of this machine/],
  [{ HOST: 'nobody.invalid' }, /HOST is nobody\.invalid, a name that this machine does not know/],
  [{ SFTP_HOST: '192.0.2.1' }, /SFTP_HOST is 192\.0\.2\.1, which is no address of this machine/],
  [
    { DATA_DIR: '/proc/x' },
    /DATA_DIR is \/proc\/x, and \/proc\/x cannot be used: no folder can be made there/,
  ],
  [{ DATA_DIR: path.join(file, 'x') }, /DATA_DIR is .*: a part of the path is a file\. Set another DATA_DIR/],
  [{ DATABASE_URL: 'postgres://a:b@nobody.invalid/c' }, /DATABASE_URL names the host nobody\.invalid, which/],
  [
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:9/c', DATABASE_CA: '/nowhere.pem' },
    /DATABASE_CA is \/nowhere\.pem, which cannot be read \(ENOENT\)/,
  ],
  [
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:9/c', DATABASE_CA: folder },
    /DATABASE_CA is .*, a folder\. Set the path of a certificate file\.$/,
  ],
  [
    { DATABASE_URL: 'postgres://a:b@127.0.0.1:9/c', DATABASE_CA: file },
    /DATABASE_CA is .*file, which has no certificate in it\. Set the path of a file/,
  ],
  [
    { DATABASE_URL: `postgres://a:b@127.0.0.1:${starterPort}/c` },
    /DATABASE_URL leads to a server that is just starting or stopping: the database system is starting up\. Try/,
  ],
  [
    { DATABASE_URL: `postgres://a:b@127.0.0.1:${silentPort}/c` },
    /DATABASE_URL leads to 127\.0\.0\.1:\d+, which cannot be reached\. Check the address and the firewall/,
  ],
  [
    { DATABASE_URL: `postgres://a:b@127.0.0.1:${bouncerPort}/c` },
    /unsupported startup parameter: statement_timeout\. Where that is PgBouncer, set pool_mode = session/,
  ],
])('a start with %o is refused', async (env, sentence) => {
  expect(await startRefusal({ DATA_DIR: dataDir, ...env })).toMatch(sentence)
})

/** An administrator of Linux can lower it. */
const startOfPorts = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
const firstFreePort = existsSync(startOfPorts) ? Number(readFileSync(startOfPorts, 'utf8')) : 1024

test.each<[Record<string, string>, RegExp]>([
  [{ DATA_DIR: closed }, /DATA_DIR is .*: this user has no rights there\. Give the folder to that user/],
  [{ DATA_DIR: path.join(closed, 'data') }, /DATA_DIR is .*: this user has no rights there/],
  [
    { PORT: String(firstFreePort - 1) },
    /PORT is \d+, for which this user has no rights\. Set one above 1023, such as PORT=3000/,
  ],
])('a start without rights and with %o ends with one sentence', async (env, sentence) => {
  const { code, lines } = await failingStart({ DATA_DIR: dataDir, ...env }, { withoutRights: true })
  expect(lines).toEqual([expect.stringMatching(sentence)])
  expect(code).toBe(1)
})

test('reports a taken SFTP port at the start, not on Sunday', async () => {
  const config = parseEnv({ DATA_DIR: dataDir, SFTP_HOST: '127.0.0.1', SFTP_PORT: takenPort })
  expect(await oddSettings(config)).toEqual([
    `SFTP_PORT is ${takenPort}, which another program on this machine has: recordings cannot be sent here until it is free. ` +
      `Stop that one, or set another: SFTP_PORT=${Number(takenPort) + 1}`,
  ])
  expect(await oddSettings(parseEnv({ DATA_DIR: dataDir, SFTP_PORT: '0' }))).toEqual([])
})

test('names a built file of the product, not DATA_DIR', () => {
  const config = parseEnv({ DATA_DIR: dataDir })
  const missing = path.resolve(import.meta.dirname, '../../../web/dist/screenshots/narrow.png')
  const sentence = startFailure({ code: 'ENOENT', syscall: 'open', path: missing }, config)
  expect(sentence).toBe(
    `${missing}, a part of the product, cannot be read (ENOENT). A build may be replacing it just now: let it end, or install and build anew, and start again.`,
  )
})

test.each(['data', 'data/audio/a.mp3', '.'])('names DATA_DIR for a fault of "%s"', (place) => {
  const config = parseEnv({ DATA_DIR: dataDir })
  const file = path.join(folder, place)
  expect(startFailure({ code: 'EACCES', path: file }, config)).toMatch(/^DATA_DIR is .*no rights/)
})

test('names a file elsewhere without blaming a setting', () => {
  const config = parseEnv({ DATA_DIR: dataDir })
  expect(startFailure({ code: 'EACCES', path: '/elsewhere/a' }, config)).toMatch(
    /^\/elsewhere\/a cannot be used/,
  )
})

/** @returns the port of a server that has these manners */
async function listening(greet: (socket: Socket) => void): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    greet(socket)
  })
  servers.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}
