import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { diskBlobStore } from '../machine/storage/disk-blob-store.ts'
import { readPart } from '../machine/storage/blob-store.ts'
import { openFiles } from './open-files.ts'

test('a requested file stays open beyond the limit', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'open-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const names = ['a', 'b', 'c']
  const blobs = diskBlobStore(folder)
  for (const name of names) await writeFile(path.join(folder, 'audio', name), name)
  const files = openFiles(
    { open: (name) => blobs.open('audio', name), stat: (name) => blobs.stat('audio', name) },
    { most: 2 },
  )
  onTestFinished(() => files.close())
  const read = await Promise.all(
    names.map((name) => files.use(name, async (file) => (await readPart(file, 0, 1)).toString())),
  )
  expect(read).toEqual(names)
})
