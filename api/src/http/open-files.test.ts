import { mkdtemp, open, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles, type FileSource } from './open-files.ts'

test('keeps a requested file open while more than the limit are requested at once', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'open-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const names = ['a', 'b', 'c']
  for (const name of names) await writeFile(path.join(folder, name), name)
  const files = openFiles(filesIn(folder), { most: 2 })
  onTestFinished(() => files.close())
  const read = await Promise.all(
    names.map((name) =>
      files.use(name, async ({ handle }) => {
        const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, 0)
        return buffer.toString()
      }),
    ),
  )
  expect(read).toEqual(names)
})

const filesIn = (folder: string): FileSource => ({
  open: (name) => open(path.join(folder, name), 'r'),
  stat: async (name) => ({ inode: (await stat(path.join(folder, name))).ino }),
})
