import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { openFiles } from './open-files.ts'

test('a file that is asked for is open, however many others are asked for in the same moment', async () => {
  const folder = await mkdtemp(path.join(tmpdir(), 'open-files-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  const names = ['a', 'b', 'c']
  for (const name of names) await writeFile(path.join(folder, name), name)
  const files = openFiles({ most: 2 })
  onTestFinished(() => files.close())
  const read = await Promise.all(
    names.map((name) =>
      files.use(path.join(folder, name), async ({ handle }) => {
        const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, 0)
        return buffer.toString()
      }),
    ),
  )
  expect(read).toEqual(names)
})
