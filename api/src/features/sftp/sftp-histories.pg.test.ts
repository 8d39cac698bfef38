import { readdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, test, vi } from 'vitest'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture } from '../../testing/multipart.ts'
import { sftpApp } from '../../testing/sftp.ts'
import { startSftp } from './sftp-server.ts'
import { setCurrentUpload } from './sftp.sql.ts'

vi.setConfig({ testTimeout: 300_000 })
const app = await sftpApp(new Date().toISOString())
const admin = await app.signedIn('admin')
const status = () => call(sftp.status, {}, admin)

test('publishes a whole unclosed file after the server closed', async () => {
  await call(sftp.start, {}, admin)
  const whole = '2026-11-22_Sam-Desk"At the last moment".wav'
  await writeFile(path.join(app.staging, whole), await fixture('speech.wav'))
  await call(sftp.stop, {}, admin)
  // On a Sunday in New Zealand the weekly window may be open.
  expect((await status()).sessionType).not.toBe('manual')
  app.clock.advance(60 * 60_000)
  await app.serving.reconcile()
  expect((await app.teachings()).map(({ title }) => title)).toContain('At the last moment')
  expect(await readdir(app.staging)).toEqual([])
  expect((await status()).sessionType).not.toBe('manual')
})

test('a killed process leaves no current upload in the status', async () => {
  await app.serving.close()
  await setCurrentUpload(app.context.sql, { filename: 'half.mp3', size: 9000, startTime: 1 })
  Object.assign(app.serving, await startSftp(app.context))
  expect((await status()).currentUpload).toBe(null)
  await call(sftp.start, {}, admin)
  expect((await status()).currentUpload).toBe(null)
})
