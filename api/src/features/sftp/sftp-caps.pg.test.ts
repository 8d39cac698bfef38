import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { SFTPWrapper } from 'ssh2'
import { expect, test } from 'vitest'
import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import { sftpApp } from '../../testing/sftp.ts'

const app = await sftpApp()

type Client = Awaited<ReturnType<typeof app.connect>>

const openChannel = ({ connection }: Client) =>
  new Promise<SFTPWrapper>((resolve, reject) =>
    connection.sftp((error, channel) => (error ? reject(error) : resolve(channel))),
  )
const openFolder = (channel: SFTPWrapper) =>
  new Promise<Buffer>((resolve, reject) =>
    channel.opendir('/', (error, handle) => (error ? reject(error) : resolve(handle))),
  )
const closed = (channel: SFTPWrapper) =>
  new Promise<void>((resolve) => {
    channel.once('close', () => resolve())
    channel.end()
  })

test('limits the channels of a connection', async () => {
  const client = await app.connect()
  const more = [await openChannel(client), await openChannel(client), await openChannel(client)]
  await expect(openChannel(client)).rejects.toThrow()
  await closed(more[0]!)
  await expect
    .poll(() =>
      openChannel(client).then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open')
  await expect(openChannel(client)).rejects.toThrow()
  client.connection.end()
})

test('limits the open files of the account', async () => {
  const clients = await Promise.all([app.connect(), app.connect()])
  const channels: SFTPWrapper[] = []
  for (const client of clients) {
    channels.push(client.sftp)
    for (let more = 1; more < sftpGuards.channels; more++) channels.push(await openChannel(client))
  }
  let open = 0
  let refused = 0
  for (const channel of channels) {
    for (let at = 0; at < sftpGuards.openFiles; at++) {
      await openFolder(channel).then(
        () => (open += 1),
        () => (refused += 1),
      )
    }
  }
  expect([open, refused]).toEqual([
    sftpGuards.openFilesInAll,
    channels.length * sftpGuards.openFiles - sftpGuards.openFilesInAll,
  ])
  const other = await app.connect()
  await expect(openFolder(other.sftp)).rejects.toThrow('Too many files are open at once.')
  for (const { connection } of clients) connection.end()
  await expect
    .poll(() =>
      openFolder(other.sftp).then(
        () => 'open',
        () => 'refused',
      ),
    )
    .toBe('open')
  other.connection.end()
})

test('limits files and folders, which can still be removed', async () => {
  for (let at = 0; at < sftpGuards.entries; at++) await mkdir(path.join(app.staging, `folder ${at}`))
  const client = await app.connect()
  const full = 'The folder holds too many files and folders.'
  await expect(client.ask((sftp, done) => sftp.mkdir('/one more', done))).rejects.toThrow(full)
  await expect(client.ask((sftp, done) => sftp.open('/one more.mp3', 'w', done))).rejects.toThrow(full)
  await client.ask((sftp, done) => sftp.rmdir('/folder 0', done))
  await client.ask((sftp, done) => sftp.mkdir('/one more', done))
})
