import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readdir, symlink, writeFile } from 'node:fs/promises'
import { connect, type Socket } from 'node:net'
import path from 'node:path'
import ssh2, { type SFTPWrapper } from 'ssh2'
import { afterAll, describe, expect, test } from 'vitest'
import { problems } from '@fellowship/schema/problem'
import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import { seededRandom } from '@fellowship/schema/testing/random'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { listInbox } from '../inbox/inbox.ts'
import { aRecording, sftpApp } from '../../testing/sftp.ts'
import { fixture } from '../../testing/multipart.ts'
import { fileRequests } from '../../testing/ssh-packets.ts'

const app = await sftpApp()
const { OPEN_MODE } = ssh2.utils.sftp
const { ask } = await app.connect()
const titles = async () => (await app.teachings()).map(({ title }) => title)
const reasons = async () =>
  (await listInbox(app.context)).map(({ filename, reason }) => `${filename}: ${reason}`)
const { open: openWith, write, close, put, rename, stat } = fileRequests({ ask })

describe('path traversal', () => {
  const outside = path.join(app.folder, 'outside')
  test.each(['../../etc/passwd', '/../../etc/passwd', '/a/../../../etc/passwd', 'a\0b', 'x'.repeat(5000)])(
    'opening %j is refused',
    async (name) => {
      await expect(openWith(name, OPEN_MODE.READ)).rejects.toThrow()
    },
  )

  test('symbolic links are refused, whoever made them', async () => {
    await writeFile(outside, 'a secret')
    await symlink(outside, path.join(app.staging, 'link.mp3'))
    await symlink(app.folder, path.join(app.staging, 'folder'))
    for (const name of ['/link.mp3', '/folder/outside', '/folder/new.mp3']) {
      for (const flags of [OPEN_MODE.READ, OPEN_MODE.WRITE | OPEN_MODE.CREAT]) {
        await expect(openWith(name, flags)).rejects.toThrow('Links are not supported here.')
      }
      await expect(stat(name)).rejects.toThrow()
      await expect(rename('/link.mp3', name)).rejects.toThrow()
    }
    await expect(ask((sftp, done) => sftp.mkdir('/folder/x', done))).rejects.toThrow()
    await expect(ask((sftp, done) => sftp.symlink('/etc', '/z', done))).rejects.toThrow('not supported')
    await expect(ask((sftp, done) => sftp.readlink('/link.mp3', done))).rejects.toThrow('not supported')
    await expect(ask((sftp, done) => sftp.rmdir('/', done))).rejects.toThrow('This folder stays.')
    const listed = await ask<ssh2.FileEntryWithStats[]>((sftp, done) => sftp.readdir('/', done))
    expect(listed).toEqual([])
    expect(existsSync(path.join(app.folder, 'new.mp3'))).toBe(false)
  })
})

describe('limits', () => {
  test('a write past 100 MB removes the file', async () => {
    const handle = await openWith('/huge.mp3', OPEN_MODE.WRITE | OPEN_MODE.CREAT)
    await write(handle, Buffer.alloc(1000), 0)
    // A sparse write that would make the file a terabyte long.
    await ask((sftp, done) =>
      sftp.write(handle, Buffer.alloc(10), 0, 10, maxUploadBytes * 10_000, done),
    ).catch(() => undefined)
    await expect(close(handle)).rejects.toThrow('The file is larger than 100MB.')
    await expect(stat('/huge.mp3')).rejects.toThrow('no file')
    await put('/cut.part', Buffer.alloc(10))
    await expect(
      ask((sftp, done) => sftp.setstat('/cut.part', { size: maxUploadBytes + 1 }, done)),
    ).rejects.toThrow('larger than 100MB')
    await ask((sftp, done) => sftp.unlink('/cut.part', done))
  })

  test('an announced size over 100 MB is refused at once', async () => {
    const flags = (OPEN_MODE.WRITE | OPEN_MODE.CREAT) as unknown as ssh2.OpenMode
    const opening = (size: number) =>
      ask<Buffer>((sftp, done) => sftp.open('/announced.part', flags, { size } as ssh2.InputAttributes, done))
    await expect(opening(maxUploadBytes + 1)).rejects.toThrow(problems.too_large.sentence)
    expect(await readdir(app.staging)).not.toContain('announced.part')
    await close(await opening(maxUploadBytes))
    await ask((sftp, done) => sftp.unlink('/announced.part', done))
  })

  test('a nearly full disk refuses new files only', async () => {
    const { storage } = app.context
    const freeBytes = storage.freeBytes.bind(storage)
    await put('/begun.part', Buffer.alloc(500))
    try {
      storage.freeBytes = () => Promise.resolve(maxUploadBytes + sftpGuards.reservedBytes - 1)
      const before = await readdir(app.staging)
      for (const name of ['/2026-11-22_Sam-Desk"No room".mp3', '/begun.part']) {
        await expect(put(name, await aRecording())).rejects.toThrow(problems.disk_full.sentence)
      }
      expect(await readdir(app.staging)).toEqual(before)
      expect((await stat('/begun.part')).size).toBe(500)
      expect(await reasons()).toEqual([])
      storage.freeBytes = () => Promise.resolve(maxUploadBytes + sftpGuards.reservedBytes)
      await put('/2026-11-22_Sam-Desk"Room again".mp3', await aRecording())
      expect(await titles()).toContain('Room again')
      expect(await titles()).not.toContain('No room')
    } finally {
      storage.freeBytes = freeBytes
      await ask((sftp, done) => sftp.unlink('/begun.part', done))
    }
  })

  test('a client has at most 64 handles', async () => {
    const { ask: request, connection } = await app.connect()
    const handles: Buffer[] = []
    const opening = async () => {
      for (;;) handles.push(await request<Buffer>((sftp, done) => sftp.opendir('/', done)))
    }
    await expect(opening()).rejects.toThrow('Too many files')
    expect(handles.length).toBe(64)
    connection.end()
  })
})

describe('clients that are not installed here, replayed packet by packet', () => {
  test('WinSCP sends .filepart, resumes, dates and renames', async () => {
    const bytes = await aRecording()
    const part = '/2026-11-22_Win-Desk"WinSCP".mp3.filepart'
    const first = await openWith(part, OPEN_MODE.WRITE | OPEN_MODE.CREAT | OPEN_MODE.TRUNC)
    await write(first, bytes.subarray(0, 10_000), 0)
    await close(first)
    const { size } = await stat(part)
    expect(size).toBe(10_000)
    const rest = await openWith(part, OPEN_MODE.WRITE)
    await write(rest, bytes.subarray(size), size)
    await ask((sftp, done) => sftp.fsetstat(rest, { mtime: 1_700_000_000, atime: 1_700_000_000 }, done))
    await close(rest)
    expect(await titles()).not.toContain('WinSCP')
    const name = part.replace('.filepart', '')
    await rename(part, name)
    expect(await titles()).toContain('WinSCP')
    // WinSCP sets the date and reads it back after the rename.
    await ask((sftp, done) =>
      sftp.setstat(name, { mtime: 1_700_000_000, atime: 1_700_000_000, mode: 0o644 }, done),
    )
    expect(await stat(name)).toMatchObject({ size: bytes.length, mtime: 1_700_000_000 })
  })

  test('WinSCP probes extensions, renames by one, and sets times late', async () => {
    expect(await ask<string>((sftp, done) => sftp.realpath('.', done))).toBe('/')
    // Not offered, and refused at once: a program that asks anyway goes on without it.
    await expect(ask((sftp, done) => sftp.ext_openssh_statvfs('/', done))).rejects.toThrow()
    const bytes = await aRecording()
    const name = '/2026-11-22_Win-Desk"Probed".mp3'
    await put(`${name}.filepart`, bytes)
    await ask((sftp, done) => sftp.ext_openssh_rename(`${name}.filepart`, name, done)).catch(() =>
      rename(`${name}.filepart`, name),
    )
    expect(await titles()).toContain('Probed')
    const times = { mtime: 1_700_000_000, atime: 1_700_000_000 }
    await ask((sftp, done) => sftp.setstat(name, times, done))
    expect(await stat(name)).toMatchObject({ size: bytes.length, mtime: 1_700_000_000 })
  })

  test('FileZilla lists, overwrites in place and sets times by name', async () => {
    const bytes = await aRecording()
    const name = '/2026-11-22_File-Zilla"In place".mp3'
    await ask((sftp, done) => sftp.realpath('/', done))
    await ask((sftp, done) => sftp.opendir('/', done)).then((handle) =>
      ask((sftp, done) => sftp.close(handle as Buffer, done)),
    )
    const handle = await openWith(name, OPEN_MODE.WRITE | OPEN_MODE.CREAT | OPEN_MODE.TRUNC)
    await write(handle, bytes, 0)
    await close(handle)
    await ask((sftp, done) => sftp.setstat(name, { mtime: 1_700_000_000, atime: 1_700_000_000 }, done))
    expect((await ask<ssh2.Stats>((sftp, done) => sftp.lstat(name, done))).size).toBe(bytes.length)
    expect(await titles()).toContain('In place')
  })

  test.each([
    ['WRITE', OPEN_MODE.WRITE],
    ['WRITE and CREAT', OPEN_MODE.WRITE | OPEN_MODE.CREAT],
    ['WRITE and APPEND', OPEN_MODE.WRITE | OPEN_MODE.APPEND],
    ['READ, WRITE, CREAT and APPEND', OPEN_MODE.READ | OPEN_MODE.WRITE | OPEN_MODE.CREAT | OPEN_MODE.APPEND],
  ])('FileZilla resumes with %s at its offset', async (title, flags) => {
    const bytes = await aRecording()
    const name = `/2026-11-22_File-Zilla"${title}".mp3`
    await put(`${name}.part`, bytes.subarray(0, 12_000))
    const handle = await openWith(`${name}.part`, flags)
    // Some clients send the end of the received part again.
    await write(handle, bytes.subarray(11_000), 11_000)
    await close(handle)
    await rename(`${name}.part`, name)
    expect(await titles()).toContain(title)
  })

  test('sshfs pipelines open with lstat, and close with unlink', async () => {
    const opening = openWith('/pipelined.part', OPEN_MODE.WRITE | OPEN_MODE.CREAT)
    const asking = ask<ssh2.Stats>((sftp, done) => sftp.lstat('/pipelined.part', done))
    expect((await asking).size).toBe(0)
    const handle = await opening
    const closing = close(handle)
    const removing = ask((sftp, done) => sftp.unlink('/pipelined.part', done))
    await Promise.all([closing, removing])
    await expect(stat('/pipelined.part')).rejects.toThrow('no file')
  })

  test('refuses exclusive creation and renaming over a file', async () => {
    const bytes = await aRecording()
    await put('/one.part', bytes)
    await expect(openWith('/one.part', OPEN_MODE.WRITE | OPEN_MODE.CREAT | OPEN_MODE.EXCL)).rejects.toThrow(
      'already',
    )
    await put('/two.part', bytes.subarray(0, 100))
    await expect(rename('/one.part', '/two.part')).rejects.toThrow('already')
    await put('/two.part', Buffer.from('shorter'))
    expect((await stat('/two.part')).size).toBe(7)
    for (const name of ['/one.part', '/two.part']) await ask((sftp, done) => sftp.unlink(name, done))
    await expect(stat('/one.part')).rejects.toThrow('There is no file or folder of this name.')
  })

  test('writes out of order make the same file', async () => {
    const bytes = await fixture('slow.m4a')
    const pieces = Array.from({ length: Math.ceil(bytes.length / 1000) }, (_, at) => at * 1000)
    const handle = await openWith('/2026-11-22_Odd-Order"Any order".m4a', OPEN_MODE.WRITE | OPEN_MODE.CREAT)
    await Promise.all(pieces.reverse().map((at) => write(handle, bytes.subarray(at, at + 1000), at)))
    await close(handle)
    const [teaching] = (await app.teachings()).filter(({ title }) => title === 'Any order')
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    expect(teaching?.audioUrl).toBe(`/audio/${sha256}.m4a`)
  })
})

describe('an arriving file', () => {
  test('renaming a misnamed file publishes it from the Inbox', async () => {
    await put('/Sunday.mp3', await aRecording())
    expect((await reasons()).join('\n')).toContain('Sunday.mp3: Name must start with a date')
    expect((await stat('/Sunday.mp3')).size).toBeGreaterThan(0)
    await rename('/Sunday.mp3', '/2026-11-22_Sam-Desk"Renamed".mp3')
    expect(await titles()).toContain('Renamed')
    expect(await reasons()).toEqual([])
  })

  test('a file sent three times is published once', async () => {
    const bytes = await aRecording()
    const name = '/2026-11-22_Sam-Desk"Only once".mp3'
    await put(name, bytes)
    await put(name, bytes)
    await put(name, bytes)
    expect(await reasons()).toEqual([])
    expect((await titles()).filter((title) => title === 'Only once')).toHaveLength(1)
  })

  test('a non-audio file goes to the Inbox', async () => {
    await put('/2026-11-22_Sam-Desk"No sound".mp3', Buffer.from('This is a letter. '.repeat(100)))
    expect((await reasons()).join('\n')).toContain('is not an MP3, WAV or M4A recording')
  })

  test("publishes a file only when its header's length has arrived", async () => {
    const name = '/2026-11-22_Sam-Desk"Given up".wav'
    const bytes = await aRecording('speech.wav')
    await put(name, bytes.subarray(0, 20_000))
    expect(await titles()).not.toContain('Given up')
    expect(await readdir(app.staging)).toContain(name.slice(1))
    await put(name, bytes)
    expect(await titles()).toContain('Given up')
  })

  test('an MP3 ending inside a frame waits in the Inbox', async () => {
    const frames = (await fixture('cbr.mp3')).subarray(1000)
    const bytes = Buffer.concat([frames.subarray(frames.indexOf(Buffer.from([0xff, 0xf3]))), frames])
    const name = '/2026-11-22_Sam-Desk"Interrupted".mp3'
    await put(`${name}.filepart`, bytes.subarray(0, 15_003))
    await rename(`${name}.filepart`, name)
    expect((await reasons()).join('\n')).toContain('ends abruptly')
    await put(name, await aRecording())
    expect(await titles()).toContain('Interrupted')
    expect((await reasons()).filter((reason) => reason.includes('Interrupted'))).toEqual([])
  })

  test('a file cut off by a lost connection is resumable', async () => {
    const { ask: request, connection } = await app.connect()
    const bytes = await aRecording()
    const name = '/2026-11-22_Sam-Desk"Dropped".mp3'
    const handle = await request<Buffer>((sftp, done) => sftp.open(name, 'w', done))
    await request((sftp, done) => sftp.write(handle, bytes, 0, 20_000, 0, done))
    connection.destroy()
    await expect
      .poll(async () => openWith(name, OPEN_MODE.WRITE | OPEN_MODE.EXCL | OPEN_MODE.CREAT).catch(String))
      .toContain('already')
    expect(await titles()).not.toContain('Dropped')
    const rest = await openWith(name, OPEN_MODE.WRITE)
    await write(rest, bytes.subarray(20_000), 20_000)
    await close(rest)
    expect(await titles()).toContain('Dropped')
  })
})

describe('hostile clients do not stop the server', () => {
  const sockets: Socket[] = []
  afterAll(() => sockets.forEach((socket) => socket.destroy()))

  test('survives 200 silent connections from each of two addresses', async () => {
    const port = await app.port()
    for (const localAddress of ['127.0.0.1', '127.0.0.2']) {
      const opening = Array.from(
        { length: 200 },
        () =>
          new Promise<void>((resolve) => {
            const socket = connect({ port, host: '127.0.0.1', localAddress }, resolve)
            socket.on('error', () => resolve())
            sockets.push(socket)
          }),
      )
      await Promise.all(opening)
      // New clients still connect, from the same address and from another one.
      for (const from of [localAddress, `${localAddress}0`]) {
        const { ask: request } = await app.connect({ localAddress: from })
        expect(await request((sftp, done) => sftp.realpath('.', done))).toBe('/')
      }
    }
  })

  test('survives thousands of random SFTP requests', async () => {
    const { whole } = seededRandom(20261122)
    const pick = <T>(choices: readonly T[]) => choices[whole(choices.length)]!
    const names = [
      '/',
      '',
      '.',
      '..',
      '/../..',
      'a.part',
      '/b/c.part',
      'é\u202e.part',
      '\0',
      '/a.part/x',
      'x'.repeat(300),
    ]
    const requests = [
      (s: SFTPWrapper, done: () => void) => s.open(pick(names), whole(64) as unknown as ssh2.OpenMode, done),
      (s: SFTPWrapper, done: () => void) => s.opendir(pick(names), done),
      (s: SFTPWrapper, done: () => void) => s.stat(pick(names), done),
      (s: SFTPWrapper, done: () => void) => s.mkdir(pick(names), done),
      (s: SFTPWrapper, done: () => void) => s.rmdir(pick(names), done),
      (s: SFTPWrapper, done: () => void) => s.unlink(pick(names), done),
      (s: SFTPWrapper, done: () => void) => s.rename(pick(names), pick(names), done),
      (s: SFTPWrapper, done: () => void) =>
        s.setstat(pick(names), { size: whole(2 ** 40), mtime: 1, atime: 1 }, done),
      (s: SFTPWrapper, done: () => void) => s.close(Buffer.from([0, 0, 0, whole(80)]), done),
      (s: SFTPWrapper, done: () => void) => s.fstat(Buffer.from([0, 0, 0, whole(80)]), done),
      (s: SFTPWrapper, done: () => void) =>
        s.write(Buffer.from([0, 0, 0, whole(80)]), Buffer.alloc(100), 0, 100, whole(2 ** 30), done),
    ]
    const { sftp } = await app.connect()
    const rounds = process.env['LONG_JOURNEYS'] ? 100 : 30
    for (let round = 0; round < rounds; round++) {
      await Promise.all(
        Array.from(
          { length: 100 },
          () => new Promise<void>((resolve) => pick(requests)(sftp, () => resolve())),
        ),
      )
    }
    expect(await ask((s, done) => s.realpath('.', done))).toBe('/')
    expect(existsSync(path.join(app.staging, '..', 'a.part'))).toBe(false)
  })

  test('survives random bytes and packets of wrong length', async () => {
    const { whole } = seededRandom(7)
    for (let round = 0; round < 30; round++) {
      const { connection, sftp } = await app.connect()
      const raw = sftp as unknown as {
        _protocol: { channelData(id: number, data: Buffer): void }
        outgoing: { id: number }
      }
      const bytes = Buffer.from(Array.from({ length: 300 }, () => whole(256)))
      if (round % 3 === 0) bytes.writeUInt32BE(whole(200))
      if (round % 3 === 1) bytes.writeUInt32BE(0xffff_ffff)
      raw._protocol.channelData(raw.outgoing.id, bytes)
      connection.end()
    }
    expect(await ask((s, done) => s.realpath('.', done))).toBe('/')
  })
})
