import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { failingStart } from '../testing/failing-start.ts'
import { parseEnv } from './config.ts'
import { startFailure } from './start-failure.ts'

const folder = mkdtempSync(path.join(tmpdir(), 'disk-start-'))
afterAll(() => rmSync(folder, { recursive: true, force: true, maxRetries: 10 }))
const isRoot = process.getuid?.() === 0
let folders = 0
const freshFolder = () => {
  const fresh = path.join(folder, String((folders += 1)))
  mkdirSync(fresh)
  return fresh
}

/** Ends the start at once, unless something before did. */
const noDatabase = { DATABASE_URL: 'postgres://a:b@127.0.0.1:9/c' }

test('a folder of another user is named with the way out', async () => {
  const dataDir = freshFolder()
  const audio = path.join(dataDir, 'audio')
  mkdirSync(audio)
  belongingToAnother(audio)
  const { code, lines } = await failingStart({ DATA_DIR: dataDir, ...noDatabase }, { withoutRights: true })
  expect(lines).toEqual([
    `The product could not start: DATA_DIR is ${dataDir}, and ${audio} cannot be used: this user has no rights there. ` +
      'Give the folder to that user (chown), or set another DATA_DIR.',
  ])
  expect(code).toBe(1)
})

test.each([
  ['that this user may not read', (file: string) => writeFileSync(file, 'PORT=3000', { mode: 0 }), 'EACCES'],
  ['that is a folder', (file: string) => mkdirSync(file), 'EISDIR'],
])('a file .env %s is named', async (_, make, code) => {
  const cwd = freshFolder()
  const file = path.join(cwd, '.env')
  make(file)
  const { lines, code: ended } = await failingStart({ DATA_DIR: cwd }, { withoutRights: true, cwd })
  expect(lines).toEqual([
    `${file} cannot be read (${code}). Make it readable for the user that starts this, or remove it.`,
  ])
  expect(ended).toBe(1)
})

/** An administrator of Linux can lower it. */
const startOfPorts = '/proc/sys/net/ipv4/ip_unprivileged_port_start'
const firstFreePort = existsSync(startOfPorts) ? Number(readFileSync(startOfPorts, 'utf8')) : 1024

test('an SFTP port without rights does not stop the start', async () => {
  const { lines } = await failingStart(
    { DATA_DIR: freshFolder(), SFTP_PORT: String(firstFreePort - 1), ...noDatabase },
    { withoutRights: true },
  )
  expect(lines).toEqual([
    `SFTP_PORT is ${firstFreePort - 1}, for which this user has no rights: recordings cannot be sent here. Set one above 1023: SFTP_PORT=2222`,
    expect.stringMatching(/DATABASE_URL leads to 127\.0\.0\.1:9, where nothing answers/),
  ])
})

test.each([
  ['below /proc', () => '/proc/x'],
  ['of another user', () => belongingToAnother(freshFolder())],
])('a BACKUP_DIR %s is told, and the start goes on', async (_, make) => {
  const backups = make()
  const { lines } = await failingStart(
    { DATA_DIR: freshFolder(), BACKUP_DIR: backups, ...noDatabase },
    { withoutRights: true },
  )
  expect(lines).toEqual([
    `BACKUP_DIR is ${backups}, where this user cannot write: no backup is kept there until it can. ` +
      'Mount the disk, or give the folder to that user; with the systemd unit, name it in ReadWritePaths= too.',
    expect.stringMatching(/DATABASE_URL leads to 127\.0\.0\.1:9, where nothing answers/),
  ])
})

/** Only root may mount, and not in every container. */
const mayMount =
  isRoot && spawnSync('unshare', ['--mount', 'mount', '-t', 'tmpfs', 'none', '/mnt']).status === 0

test.runIf(mayMount).each([
  [
    'full, where the database is made',
    'size=5m',
    'data',
    /^DATA_DIR is .*postgres cannot be used: the disk is full\. Make room/,
  ],
  [
    'full, to the last byte',
    'size=4k',
    'data',
    /^DATA_DIR is .* cannot be used: the disk is full\. Make room there/,
  ],
  ['read-only', 'ro', '', /^DATA_DIR is .* cannot be used: it is on a read-only disk\. Set another DATA_DIR/],
])('a disk that is %s ends the start', async (_, option, name, sentence) => {
  const disk = freshFolder()
  const mounting = `mount -t tmpfs -o ${option},mode=755 none ${disk}`
  const { code, lines } = await failingStart({ DATA_DIR: path.join(disk, name) }, { mounting })
  expect(lines).toEqual([
    expect.stringMatching(new RegExp(`^The product could not start: ${sentence.source.slice(1)}`)),
  ])
  expect(code).toBe(1)
})

test.each([
  ['ENOSPC', /the disk is full\. Make room there/],
  ['53100', /the disk is full\. Make room there/],
  ['EDQUOT', /the quota of this user is used up\. Make room there/],
  ['EROFS', /it is on a read-only disk\. Set another DATA_DIR/],
  ['EIO', /the disk fails\. Check it/],
])('an error %s of disk or embedded database names DATA_DIR', (code, sentence) => {
  const config = parseEnv({ DATA_DIR: folder })
  expect(startFailure({ code }, config)).toMatch(sentence)
  expect(startFailure({ code, path: path.join(folder, 'postgres') }, config)).toMatch(/^DATA_DIR is /)
})

function belongingToAnother(place: string): string {
  if (isRoot) chownSync(place, 65_534, 65_534)
  chmodSync(place, 0o555)
  return place
}
