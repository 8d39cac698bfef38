import { createHash } from 'node:crypto'
import { readdir, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { listInbox } from '../inbox/inbox.ts'
import { aRecording, sftpApp } from '../../testing/sftp.ts'
import { isMissing } from '../../testing/sftp-programs.ts'
import { mountSshfs, type Mount } from '../../testing/sshfs.ts'

const app = await sftpApp()
const port = await app.port()
const teachingsCalled = async (wanted: string) =>
  (await app.teachings()).filter(({ title }) => title === wanted).map(({ audioUrl }) => audioUrl)
/** sshfs closes files in the background. */
const patiently = { timeout: 60_000 }
const addressOf = (recording: Buffer) => `/audio/${createHash('sha256').update(recording).digest('hex')}.mp3`

describe.skipIf(isMissing('sshfs'))('a folder mounted by sshfs', { timeout: 120_000 }, () => {
  let mount: Mount
  beforeAll(async () => {
    mount = await mountSshfs({ port, env: app.programEnv })
  })
  afterAll(() => mount?.unmount())

  test('sshfs cannot leave the folder by paths or links', async () => {
    const outside = await app.file('outside', Buffer.from('a secret'))
    await expect(mountSshfs({ port, env: app.programEnv, folder: '/../../etc' })).rejects.toThrow(
      'No such file',
    )
    await expect(mount.lookUpName('../../etc/passwd')).rejects.toThrow('ENOENT')
    await expect(mount.link(outside, '/made')).rejects.toThrow('ENOTSUP')
    await symlink(outside, path.join(app.staging, 'planted'))
    await symlink(app.folder, path.join(app.staging, 'linked'))
    await expect(mount.read('/planted')).rejects.toThrow('EACCES')
    await expect(mount.list('/linked')).rejects.toThrow('EACCES')
    await expect(mount.create('/linked/new.mp3', Buffer.from('x'))).rejects.toThrow('EACCES')
    expect(await mount.list('/')).toEqual([])
  })

  test('a write past 100 MB removes the file', async () => {
    await mount.create('/huge.part', Buffer.alloc(1000))
    await expect(mount.change('/huge.part', { size: maxUploadBytes + 1 })).rejects.toThrow('EPERM')
    expect(await mount.facts('/huge.part')).toMatchObject({ size: 1000 })
    await expect(mount.write('/huge.part', Buffer.alloc(2), maxUploadBytes - 1)).rejects.toThrow('EIO')
    await expect.poll(() => readdir(app.staging), patiently).not.toContain('huge.part')
  })

  test('a copied file becomes one teaching and reads back', async () => {
    const recording = await aRecording()
    const name = '/2026-11-22_Ann-Open"By sshfs".mp3'
    await mount.create(name, recording)
    await expect.poll(() => teachingsCalled('By sshfs'), patiently).toEqual([addressOf(recording)])
    expect(await mount.list('/')).toEqual([name.slice(1)])
    expect(await mount.facts(name)).toMatchObject({ isFolder: false, size: recording.length })
    expect(await mount.read(name)).toEqual(recording)
    expect(await mount.readAt(name, 12_345, 1000)).toEqual(recording.subarray(12_345, 13_345))
    expect(await mount.readAt(name, recording.length - 10, 1000)).toEqual(recording.subarray(-10))
    expect(await mount.readAt(name, recording.length + 10, 1000)).toHaveLength(0)
    // A recording of the library cannot be overwritten.
    await expect(mount.write(name, recording, 0)).rejects.toThrow('EACCES')
    await expect(mount.change(name, { size: 0 })).rejects.toThrow('EACCES')
    expect(await teachingsCalled('By sshfs')).toEqual([addressOf(recording)])
    expect(await listInbox(app.context)).toEqual([])
  })

  test('a resumed copy is published when renamed', async () => {
    const recording = await aRecording()
    await mount.create('/resumed.part', recording.subarray(0, 12_000))
    const { size } = await mount.facts('/resumed.part')
    expect(size).toBe(12_000)
    await mount.write('/resumed.part', recording.subarray(size), size)
    expect(await teachingsCalled('Resumed')).toEqual([])
    await mount.rename('/resumed.part', '/2026-11-22_Ann-Open"Resumed".mp3')
    expect(await teachingsCalled('Resumed')).toEqual([addressOf(recording)])
    await expect(mount.facts('/resumed.part')).rejects.toThrow('ENOENT')
  })

  test('overwrites, truncates, dates, renames and removes', async () => {
    const textOf = async (file: string) => (await mount.read(file)).toString()
    await mount.create('/a.part', Buffer.from('a long first text'))
    await mount.write('/a.part', Buffer.from('a shorter one'))
    expect(await textOf('/a.part')).toBe('a shorter one')
    await mount.change('/a.part', { size: 9 })
    await mount.change('/a.part', { modifiedAt: 1_700_000_000, accessedAt: 1_700_000_000 })
    // Accepted without effect: if a mode is refused, clients give up.
    await mount.change('/a.part', { mode: 0o777 })
    expect(await mount.facts('/a.part')).toMatchObject({ size: 9, modifiedAt: 1_700_000_000, mode: 0o660 })
    await mount.create('/b.part', Buffer.from('b'))
    await expect(mount.rename('/a.part', '/b.part')).rejects.toThrow('EPERM')
    await mount.rename('/a.part', '/c.part')
    expect(await textOf('/c.part')).toBe('a shorter')
    await mount.remove('/b.part')
    await mount.remove('/c.part')
    await expect(mount.remove('/c.part')).rejects.toThrow('ENOENT')
    expect(await mount.list('/')).not.toContain('b.part')
  })

  test('makes, lists and removes folders', async () => {
    await mount.makeFolder('/folder')
    await expect(mount.makeFolder('/folder')).rejects.toThrow('EEXIST')
    expect(await mount.facts('/folder')).toMatchObject({ isFolder: true })
    expect(await mount.list('/folder')).toEqual([])
    const many = Array.from({ length: 120 }, (_, number) => `${1000 + number}.part`)
    for (const name of many) await writeFile(path.join(app.staging, 'folder', name), '')
    expect(await mount.list('/folder')).toEqual(many)
    await expect(mount.removeFolder('/folder')).rejects.toThrow('ENOTEMPTY')
    for (const name of many) await mount.remove(`/folder/${name}`)
    await mount.removeFolder('/folder')
    await expect(mount.list('/folder')).rejects.toThrow('ENOENT')
  })
})
