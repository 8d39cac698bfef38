import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { backup } from '@fellowship/schema/backup/backup.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { call } from '@fellowship/sync/call/call'
import type { Environment } from '../../config/env.ts'
import { openArchive } from '../../machine/zip/unzip.ts'
import { everything } from '../../testing/everything.ts'
import { testApp } from '../../testing/test-app.ts'
import { manifest } from './manifest.ts'
import { restore } from './restore.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'backup-secrets-'))
afterAll(() => rm(folder, { recursive: true, force: true }))
const passphrase = 'four words nobody says together'
const password = 'Kōrero-9 at the desk'

/** Writes a backup of an instance with this configuration to a file. */
async function backupOf(name: string, env: Environment) {
  const app = await testApp(env)
  const admin = await app.signedIn('admin')
  await call(sftp.changePassword, { body: { newPassword: password } }, admin)
  const response = await admin.fetch(`${app.url}/api/backup/create-manual`)
  const bytes = Buffer.from(await response.arrayBuffer())
  const file = path.join(folder, `${name}.zip${env['BACKUP_PASSPHRASE'] ? '.age' : ''}`)
  await writeFile(file, bytes)
  const archive = await openArchive(file, env['BACKUP_PASSPHRASE'])
  const about = manifest.parse(JSON.parse((await archive.read('manifest.json', 1e8)).toString()))
  const names = [...archive.entries.keys()]
  archive.close()
  const { secretsSealed } = await call(backup.history, {}, admin)
  return { app, admin, file, bytes, about, names, secretsSealed }
}
const sealed = await backupOf('sealed', { BACKUP_PASSPHRASE: passphrase })
const open = await backupOf('open', {})

describe('with BACKUP_PASSPHRASE', () => {
  test('neither archive nor page shows the sealed secrets', async () => {
    expect([sealed.about.secrets, sealed.names.includes('secrets.sealed'), sealed.secretsSealed]).toEqual([
      'sealed',
      true,
      true,
    ])
    const { dataDir } = sealed.app
    for (const secret of [
      (await readFile(path.join(dataDir, 'app-secret'), 'utf8')).trim(),
      (await readFile(path.join(dataDir, 'ssh-host-key'), 'utf8')).split('\n')[2]!,
      password,
      passphrase,
    ]) {
      expect(secret.length).toBeGreaterThan(10)
      expect(sealed.bytes.includes(secret)).toBe(false)
    }
  })

  test('the whole file is encrypted and a changed byte noticed', async () => {
    expect(sealed.bytes.subarray(0, 21).toString()).toBe('age-encryption.org/v1')
    for (const clear of ['database.json', 'manifest.json', 'PK\u0003\u0004', sealed.admin.email]) {
      expect(sealed.bytes.includes(clear)).toBe(false)
    }
    const target = await testApp({ BACKUP_PASSPHRASE: passphrase })
    const file = path.join(folder, 'flipped.zip.age')
    const flipped = Buffer.from(sealed.bytes)
    flipped[600]! ^= 1
    await writeFile(file, flipped)
    await expect(restore(target.context, file)).rejects.toThrow('damaged')
    await writeFile(file, sealed.bytes.subarray(0, -40))
    await expect(restore(target.context, file)).rejects.toThrow('damaged')
  })

  test('an encrypted download resumes at any byte', async () => {
    const prepared = await call(backup.prepare, {}, sealed.admin)
    const get = async (range?: string) => {
      const address = `${sealed.app.url}/api/backup/create-manual?id=${prepared.id}`
      const response = await sealed.admin.fetch(address, { headers: range ? { range } : {} })
      return Buffer.from(await response.arrayBuffer())
    }
    const whole = await get()
    expect([whole.length, prepared.fileName.endsWith('.zip.age')]).toEqual([prepared.bytes, true])
    for (const start of [1, 150, 240, 5_000, whole.length - 10]) {
      expect((await get(`bytes=${start}-`)).equals(whole.subarray(start))).toBe(true)
    }
    expect((await get('bytes=100-4000')).equals(whole.subarray(100, 4001))).toBe(true)
  })

  test.each<[string, Environment, RegExp]>([
    ['no passphrase', {}, /^This backup is encrypted. Set BACKUP_PASSPHRASE/],
    [
      'a wrong passphrase',
      { BACKUP_PASSPHRASE: 'four words somebody else says' },
      /^BACKUP_PASSPHRASE is not the passphrase.*Set it to that one/,
    ],
    [
      'another APP_SECRET',
      { BACKUP_PASSPHRASE: passphrase, APP_SECRET: 's'.repeat(40) },
      /^APP_SECRET is set here, and not to the one of this backup.*Take it out.*--without-secrets/,
    ],
  ])('a restore with %s is refused, also as dry run', async (_, env, sentence) => {
    const target = await testApp(env)
    const before = await everything(target)
    await expect(restore(target.context, sealed.file, { dryRun: true })).rejects.toThrow(sentence)
    await expect(restore(target.context, sealed.file)).rejects.toThrow(sentence)
    expect(await everything(target)).toEqual(before)
  })

  test('a restore that fails at the rows keeps the secrets', async () => {
    const target = await testApp({ BACKUP_PASSPHRASE: passphrase })
    await target.context.sql`alter table sftp_settings add constraint nothing_fits check (false)`
    const before = await everything(target)
    await expect(restore(target.context, sealed.file)).rejects.toThrow('nothing_fits')
    expect(await everything(target)).toEqual(before)
  })

  test('a restore without secrets reports the unreadable ones', async () => {
    const target = await testApp({ BACKUP_PASSPHRASE: passphrase })
    const before = await readFile(path.join(target.dataDir, 'app-secret'), 'utf8')
    const report = await restore(target.context, sealed.file, { withoutSecrets: true })
    expect(report).toMatchObject({
      written: true,
      rows: { users: 1, sftp_settings: 1 },
      secrets: 'left aside',
      hostKey: 'made anew',
      sftpPassword: 'made anew',
    })
    expect(await readFile(path.join(target.dataDir, 'app-secret'), 'utf8')).toBe(before)
    expect(await readdir(target.dataDir)).not.toContain('ssh-host-key')
  })
})

describe('without BACKUP_PASSPHRASE', () => {
  test('the backup states that secrets are left out', () => {
    expect([open.about.secrets, open.names.includes('secrets.sealed'), open.secretsSealed]).toEqual([
      'left out',
      false,
      false,
    ])
  })

  test('a restore elsewhere makes new secrets and reports it', async () => {
    const target = await testApp({ BACKUP_PASSPHRASE: passphrase })
    expect(await restore(target.context, open.file)).toMatchObject({
      written: true,
      secrets: 'not in the backup',
      hostKey: 'made anew',
      sftpPassword: 'made anew',
    })
  })

  test('a restore on the same instance keeps its secrets', async () => {
    const { context } = open.app
    await call(sftp.status, {}, open.admin)
    expect(await restore(context, open.file, { replace: true, dryRun: true })).toMatchObject({
      written: false,
      secrets: 'not in the backup',
      hostKey: 'kept',
      sftpPassword: 'kept',
    })
  })
})
