import { mkdir, readdir, unlink, utimes, writeFile } from 'node:fs/promises'
import { createServer, type AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { describe, expect, test, vi } from 'vitest'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { call, type CallInput } from '@fellowship/sync/call/call'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'
import { aRecording, sftpApp } from '../../testing/sftp.ts'
import { secretsUnder } from '../../machine/secrets.ts'
import { sftpPassword } from './sftp.ts'
import { startSftp } from './sftp-server.ts'
import { insertArrival } from '../inbox/inbox.sql.ts'
import { sweepInbox } from '../inbox/inbox.ts'

// Real SSH connections and real recordings are slow on a busy machine.
vi.setConfig({ testTimeout: 300_000 })
const app = await sftpApp('2026-11-22T10:58:00+13:00')
const admin = await app.signedIn('admin')
const ask = <E extends AnyEndpoint>(endpoint: E, input?: CallInput<E>) => call(endpoint, input, admin)
const status = () => ask(sftp.status)
/** Sets the clock and reconciles, as the server does every minute. */
const at = async (time: string) => {
  app.clock.set(time)
  await app.serving.reconcile()
}
const actions = async () =>
  (await app.context.sql<{ action: string }[]>`select action from audit_log order by id`).map(
    ({ action }) => action,
  )

test('replaces a password sealed under another APP_SECRET once', async () => {
  const before = await sftpPassword(app.context)
  const [sealed] = await app.context.sql<
    { passwordSealed: string }[]
  >`select password_sealed from sftp_settings`
  const elsewhere = { ...app.context, secrets: secretsUnder('the secret of another data folder') }
  const [first, second] = await Promise.all([sftpPassword(elsewhere), sftpPassword(elsewhere)])
  expect(first).toMatch(/^([a-z0-9]{4}-){3}[a-z0-9]{4}$/)
  expect([second, await sftpPassword(elsewhere)]).toEqual([first, first])
  expect(first).not.toBe(before)
  expect((await actions()).filter((action) => action === 'sftp.password_renewed')).toHaveLength(1)
  await app.context.sql`update sftp_settings set ${app.context.sql(sealed!)}`
  expect(await sftpPassword(app.context)).toBe(before)
})

describe('the upload window', () => {
  test('the window opens and closes in Auckland time', async () => {
    expect(await status()).toMatchObject({ running: false, sessionType: null, available: true })
    await at('2026-11-22T11:00:00+13:00')
    expect(await status()).toMatchObject({
      running: true,
      sessionType: 'scheduled',
      manualTimeoutRemaining: null,
      schedule: 'Sundays 11:00 AM to 2:00 PM (Auckland)',
      closesAt: new Date('2026-11-22T14:00:00+13:00').toISOString(),
    })
    await at('2026-11-22T14:00:00+13:00')
    expect(await status()).toMatchObject({ running: false, message: 'Scheduled' })
    const { health } = await call(system.info, {}, admin)
    expect(health.find(({ id }) => id === 'sftp')!.sentence).toMatch(/ 29 November at 11:00 AM\.$/)
  })

  test('only files under way may finish after the window', async () => {
    await at('2026-11-22T13:59:00+13:00')
    const { sftp: client, ask: request } = await app.connect()
    const bytes = await aRecording()
    const handle = await request<Buffer>((s, done) => s.open('/late.mp3.filepart', 'w', done))
    await request((s, done) => s.write(handle, bytes, 0, 9000, 0, done))
    await at('2026-11-22T14:00:30+13:00')
    await expect(app.connect()).rejects.toThrow()
    await expect(request((s, done) => s.open('/new.mp3', 'w', done))).rejects.toThrow('window has closed')
    await request((s, done) => s.write(handle, bytes, 9000, bytes.length - 9000, 9000, done))
    await request((s, done) => s.close(handle, done))
    await app.serving.reconcile()
    await request((s, done) => s.rename('/late.mp3.filepart', '/2026-11-22_Sam-Desk"Just in time".mp3', done))
    expect((await app.teachings()).map(({ title }) => title)).toContain('Just in time')
    expect(await app.context.sql`select actor, action from audit_log where subject = 'Just in time'`).toEqual(
      [{ actor: 'the sound desk', action: 'teaching.uploaded' }],
    )
    const closed = new Promise((resolve) => client.once('close', resolve))
    await at('2026-11-22T14:01:00+13:00')
    await closed
    expect((await status()).running).toBe(false)
  })

  test('closes 15 minutes after the window and keeps parts', async () => {
    await at('2026-11-22T13:59:00+13:00')
    const { ask: request } = await app.connect()
    const handle = await request<Buffer>((s, done) => s.open('/slow.mp3', 'w', done))
    await request((s, done) => s.write(handle, Buffer.alloc(5000, 1), 0, 5000, 0, done))
    await at('2026-11-22T14:14:00+13:00')
    expect((await status()).running).toBe(true)
    await at('2026-11-22T14:15:00+13:00')
    expect((await status()).running).toBe(false)
    expect(await readdir(app.staging)).toContain('slow.mp3')
    await unlink(path.join(app.staging, 'slow.mp3'))
  })

  test('reopens after a restart within the window', async () => {
    await at('2026-11-29T12:00:00+13:00')
    await app.serving.close()
    expect((await status()).running).toBe(false)
    const again = await startSftp(app.context)
    expect((await status()).running).toBe(true)
    await again.close()
    Object.assign(app.serving, await startSftp(app.context))
  })

  test('reopens after its database connection was lost', async () => {
    await at('2026-11-29T12:00:00+13:00')
    const { sql } = app.context
    // Waits for their end: until then they hold the lock, and the server could not open again.
    const [ended] = await sql`
      select count(pg_terminate_backend(pid, 10000))::int as count from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`
    // Its own, and the one that holds the locks of uploads and recordings.
    expect(ended).toEqual({ count: 2 })
    const soon = setTimeout(10_000, 'still waiting')
    expect(await Promise.race([app.serving.reconcile(), soon])).toBeUndefined()
    expect(await status()).toMatchObject({ running: true })
    // The lost connection has left the pool.
    await Promise.all(Array.from({ length: 30 }, () => sql`select pg_sleep(0.05)`))
    expect(await Promise.race([at('2026-11-29T14:00:00+13:00'), soon])).toBeUndefined()
    expect(await status()).toMatchObject({ running: false, message: 'Scheduled' })
  })

  test('one of two processes serves, then the other', async () => {
    await at('2026-11-29T12:00:00+13:00')
    const other = await startSftp(app.context)
    const { port } = await status()
    await app.serving.close()
    await other.reconcile()
    const after = await status()
    expect(after.running).toBe(true)
    expect(after.port).not.toBe(port)
    await other.close()
    Object.assign(app.serving, await startSftp(app.context))
  })
})

describe('a session started by hand', () => {
  test('a manual session lasts 60 minutes with a countdown', async () => {
    await at('2026-12-01T09:00:00+13:00')
    expect(await ask(sftp.start)).toEqual({
      success: true,
      message: 'The SFTP server is open for 60 minutes.',
    })
    app.clock.advance(60_000)
    expect(await status()).toMatchObject({
      running: true,
      sessionType: 'manual',
      manualTimeoutRemaining: 59 * 60_000,
    })
    expect(await ask(sftp.start)).toMatchObject({ message: 'The SFTP server is open already.' })
    app.clock.advance(59 * 60_000)
    await app.serving.reconcile()
    expect((await status()).running).toBe(false)
  })

  test('a manual session extends into the window', async () => {
    await at('2026-12-06T11:00:00+13:00')
    const opens = new Date((await status()).nextWindow)
    const shortlyBefore = new Date(opens.getTime() - 10 * 60_000).toISOString()
    await at(shortlyBefore)
    expect(await ask(sftp.start)).toMatchObject({
      message: 'The SFTP server is open until the end of the upload window.',
    })
    const { closesAt, manualTimeoutRemaining } = await status()
    expect(closesAt).toBe(new Date(opens.getTime() + 3 * 60 * 60_000).toISOString())
    expect(manualTimeoutRemaining).toBe(190 * 60_000)
    await at(new Date(opens.getTime() + 90 * 60_000).toISOString())
    expect(await status()).toMatchObject({ running: true, sessionType: 'scheduled', closesAt })
    await ask(sftp.stop)
  })

  test('a stop within the window lasts until the next', async () => {
    await at('2026-12-06T12:00:00+13:00')
    await ask(sftp.stop)
    expect((await status()).running).toBe(false)
    await at('2026-12-06T13:00:00+13:00')
    expect((await status()).running).toBe(false)
    await at('2026-12-13T11:00:00+13:00')
    expect((await status()).running).toBe(true)
    await ask(sftp.stop)
  })

  test('starts and stops of a clock ahead have no effect', async () => {
    await at('2036-12-08T12:00:00+13:00')
    await ask(sftp.start)
    await at('2026-12-15T12:00:00+13:00')
    expect(await status()).toMatchObject({ running: false, sessionType: null })
    await at('2036-12-14T12:00:00+13:00')
    await ask(sftp.stop)
    await at('2026-12-20T11:30:00+13:00')
    expect((await status()).running).toBe(true)
    await ask(sftp.stop)
    expect((await status()).running).toBe(false)
    await app.context.sql`update sftp_settings set closed_until = null`
  })
})

test('a port in use is reported until the stop', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as AddressInfo
  const other = await testApp({ SFTP_HOST: '127.0.0.1', SFTP_PORT: String(port) })
  other.clock.set('2026-12-01T09:00:00+13:00')
  const serving = await startSftp(other.context)
  const otherAdmin = await other.signedIn('admin')
  await expect(call(sftp.start, {}, otherAdmin)).rejects.toMatchObject({ status: 503, code: 'unavailable' })
  expect(await call(sftp.status, {}, otherAdmin)).toMatchObject({
    available: false,
    running: false,
    sessionType: 'manual',
    message: `Port ${port} is used by another program. Set SFTP_PORT to a free one and start again.`,
  })
  await call(sftp.stop, {}, otherAdmin)
  expect(await call(sftp.status, {}, otherAdmin)).toMatchObject({ available: true, sessionType: null })
  await serving.close()
  await new Promise((resolve) => taken.close(resolve))
})

describe('the password', () => {
  test.each(['short', 'x'.repeat(129), 'with\nbreak'])('refuses the password %j', async (newPassword) => {
    await expect(ask(sftp.changePassword, { body: { newPassword } })).rejects.toMatchObject({ status: 400 })
  })

  test('logs showing and changing the password, stored encrypted', async () => {
    const before = await ask(sftp.credentials)
    expect(before).toMatchObject({ username: 'uploads', host: '127.0.0.1' })
    await ask(sftp.changePassword, { body: { newPassword: 'a quite new one' } })
    expect((await ask(sftp.credentials)).password).toBe('a quite new one')
    const [row] = await app.context.sql`select * from sftp_settings`
    expect(JSON.stringify(row)).not.toContain('quite new')
    expect((await actions()).slice(-3)).toEqual([
      'sftp.password_shown',
      'sftp.password_changed',
      'sftp.password_shown',
    ])
    await at('2026-12-20T12:00:00+13:00')
    await expect(app.connect({ password: before.password })).rejects.toThrow()
    await app.connect({ password: 'a quite new one' })
    await ask(sftp.changePassword, { body: { newPassword: app.password } })
  })

  test('repeated wrong passwords ban the address', async () => {
    await at('2026-12-20T12:30:00+13:00')
    for (let tries = 0; tries < 12; tries++) {
      await app.connect({ password: `wrong ${tries}` }).catch(() => undefined)
    }
    await expect
      .poll(async () => (await ask(sftp.monitor)).bans.map(({ address }) => address))
      .toEqual(['127.0.0.1'])
    await expect(app.connect()).rejects.toThrow()
    await expect(ask(sftp.unban, { body: { address: '10.1.2.3' } })).rejects.toMatchObject({ status: 404 })
    await ask(sftp.unban, { body: { address: '127.0.0.1' } })
    await app.serving.reconcile()
    await app.connect()
    expect(await actions()).toContain('sftp.unbanned')
  })
})

describe('the file monitor', () => {
  test('the monitor shows progress and removes needless files', async () => {
    await at(new Date().toISOString())
    const wav = await aRecording('speech.wav')
    await mkdir(path.join(app.staging, 'old folder'))
    await writeFile(path.join(app.staging, '2026-11-22_Sam-Desk"Half".wav'), wav.subarray(0, 30_000))
    await writeFile(path.join(app.staging, '.DS_Store'), 'left behind')
    await writeFile(path.join(app.context.config.dataDir, 'uploads', 'orphan'), 'of nobody')
    // The age counts from the arrival, not from the modification date that the sender set.
    await utimes(path.join(app.staging, '2026-11-22_Sam-Desk"Half".wav'), 1, 1)
    const { directories } = await ask(sftp.monitor)
    const [half] = directories['sftp-staging']!.files.filter(({ name }) => name.endsWith('.wav'))
    expect(half).toMatchObject({
      sizeFormatted: '30 kB',
      note: 'Waiting for the rest (62 %), judged in 2 minutes',
    })
    expect(half!.age).toBeLessThan(60)
    const body = { olderThanMinutes: 60, directories: ['sftp-staging' as const, 'uploads' as const] }
    expect((await ask(sftp.cleanup, { body })).deleted).toEqual([])
    const leftover = { name: '.DS_Store', note: 'Not needed' }
    expect(directories['sftp-staging']!.files).toContainEqual(expect.objectContaining(leftover))
    app.clock.advance(61 * 60_000)
    await utimes(path.join(app.context.config.dataDir, 'uploads', 'orphan'), 1, 1)
    const cleaned = await ask(sftp.cleanup, { body })
    const late = (await ask(sftp.monitor)).directories['sftp-staging']!.files
    expect(late).toMatchObject([{ note: 'Waiting for the rest (62 %), judged within a minute' }])
    expect(cleaned.deleted.sort()).toEqual(['.DS_Store', 'orphan'])
    expect(cleaned.kept).toBe(1)
    expect(await readdir(app.staging)).toEqual(['2026-11-22_Sam-Desk"Half".wav'])
  })
})

test('an announced size gives a part its percentage', async () => {
  await at(new Date().toISOString())
  await ask(sftp.start)
  const { ask: request } = await app.connect()
  const notes = async () =>
    (await ask(sftp.monitor)).directories['sftp-staging']!.files.filter(
      ({ name }) => name === 'told.part',
    ).map(({ note }) => note)
  const put = async (attributes: object) => {
    const handle = await request<Buffer>((s, done) => s.open('/told.part', 'w', attributes, done))
    await request((s, done) => s.write(handle, Buffer.alloc(6200, 1), 0, 6200, 0, done))
    await request((s, done) => s.close(handle, done))
  }
  await put({ size: 10_000 })
  expect(await notes()).toEqual(['Waiting for the rest (62 %), judged in 2 minutes'])
  // Sent again by a client that announces no size.
  await put({})
  expect(await notes()).toEqual(['Waiting for the rest, judged in 2 minutes'])
  await request((s, done) => s.unlink('/told.part', done))
  expect(await notes()).toEqual([])
})

describe('a part that is never closed', () => {
  test('a part left for two minutes is published, or waits in the Inbox', async () => {
    await at(new Date().toISOString())
    await ask(sftp.stop)
    await ask(sftp.start)
    const whole = '2026-11-22_Sam-Desk"Whole after all".wav'
    await writeFile(path.join(app.staging, whole), await fixture('speech.wav'))
    await app.serving.reconcile()
    expect(await readdir(app.staging)).toContain(whole)
    app.clock.advance(3 * 60_000)
    await app.serving.reconcile()
    expect((await app.teachings()).map(({ title }) => title)).toContain('Whole after all')
    expect(await readdir(app.staging)).toEqual([])
    const { items } = await ask(inbox.list)
    expect(items).toMatchObject([
      { isCutOff: true, reason: expect.stringContaining('cut off: 0:02 of 0:03 are there') as string },
    ])
    const { id } = items[0]!
    const body = { title: 'Half', speaker: 'Sam Desk', date: '2026-11-22', scriptureReference: '' }
    await expect(ask(inbox.publish, { params: { id }, body })).rejects.toMatchObject({ status: 422 })
    const { teaching } = await ask(inbox.publish, { params: { id }, body: { ...body, acceptCutOff: true } })
    expect(teaching).toMatchObject({ title: 'Half', duration: '0:02' })
    expect((await ask(inbox.list)).items).toEqual([])
    await expect(ask(inbox.remove, { params: { id } })).rejects.toMatchObject({ status: 404 })
  })
})

describe('after the process ended while it imported a file, the next start publishes it exactly once', () => {
  const { storage, sql } = app.context
  const ended = () => Promise.reject(new Error('The process ends here.'))
  const put = async (title: string) => {
    const { ask: request, connection } = await app.connect()
    const bytes = await aRecording()
    await request((s, done) => s.writeFile(`/2026-11-22_Sam-Desk"${title}".mp3`, bytes, done))
    connection.end()
  }
  const startAgain = async () => {
    await app.serving.close()
    Object.assign(app.serving, await startSftp(app.context))
    await sweepInbox(app.context)
  }
  const states = async () =>
    (await sql<{ state: string }[]>`select state from inbox`).map(({ state }) => state)
  const expectOnce = async (title: string) => {
    await startAgain()
    expect((await app.teachings()).filter((teaching) => teaching.title === title)).toHaveLength(1)
    expect([await states(), await storage.inbox.list(), await readdir(app.staging)]).toEqual([[], [], []])
  }

  test('a crash before the move publishes once', async () => {
    await ask(sftp.start)
    const filename = '2026-11-22_Sam-Desk"Noted".mp3'
    const bytes = await aRecording()
    const takenFrom = path.join(app.staging, filename)
    await writeFile(takenFrom, bytes)
    const id = uuidv7(app.clock.now().getTime())
    await insertArrival(sql, { id, filename, takenFrom, bytes: bytes.length, nodeId: null })
    await expectOnce('Noted')
  })

  test('a crash before publishing publishes once', async () => {
    const stageInbox = storage.stageInbox.bind(storage)
    storage.stageInbox = ended
    await put('Put aside').finally(() => {
      storage.stageInbox = stageInbox
    })
    expect((await app.teachings()).map(({ title }) => title)).not.toContain('Put aside')
    expect(await states()).toEqual(['arriving'])
    expect(await storage.inbox.list()).toHaveLength(1)
    await expectOnce('Put aside')
  })

  test('a crash before the Inbox cleanup publishes once', async () => {
    const remove = storage.inbox.remove.bind(storage.inbox)
    storage.inbox.remove = ended
    await put('Published').finally(() => {
      storage.inbox.remove = remove
    })
    expect(await storage.inbox.list()).toHaveLength(1)
    await expectOnce('Published')
  })
})
