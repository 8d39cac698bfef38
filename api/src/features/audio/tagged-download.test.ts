import { execFile } from 'node:child_process'
import { copyFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { diskShelf } from '../../machine/storage/disk-shelf.ts'
import { fixture } from '../../testing/multipart.ts'
import { canProbe } from '../../testing/recordings.ts'
import { taggedDownload, tagPicture } from './tagged-download.ts'

const recording = {
  sha256: 'a'.repeat(64),
  mime: 'audio/mpeg',
  title: 'Hope',
  speaker: 'Jane',
  date: '2026-11-22',
  scriptureReference: null,
}

test('a site without a picture has none in its downloads', async () => {
  expect(await tagPicture('/nowhere')).toBeUndefined()
})

test.skipIf(!canProbe)('the picture of the site is the cover, as ffprobe reads it', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'tagged-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, 'a.mp3')
  await writeFile(file, await fixture('cbr.mp3'))
  const shelf = diskShelf(folder)
  await copyFile(file, path.join(folder, 'audio', 'a.mp3'))
  const stored = (await shelf.open('audio', 'a.mp3'))!
  const picture = await tagPicture(path.join(import.meta.dirname, '../../../../web/public'))
  const { framed } = await taggedDownload(stored, recording, picture)
  await stored.close()
  const sound = (await readFile(file)).subarray(framed.from, framed.to)
  await writeFile(file, Buffer.concat([framed.head, sound]))
  const { stdout } = await promisify(execFile)('ffprobe', [
    '-v',
    'error',
    '-show_entries',
    'stream=codec_name,width:stream_disposition=attached_pic',
    '-of',
    'json',
    file,
  ])
  const { streams } = JSON.parse(stdout) as { streams: { codec_name: string; width?: number }[] }
  expect(streams).toMatchObject([
    { codec_name: 'mp3' },
    { codec_name: 'png', width: 192, disposition: { attached_pic: 1 } },
  ])
})
