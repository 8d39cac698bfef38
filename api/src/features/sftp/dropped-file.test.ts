import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openDropped } from './dropped-file.ts'

const folder = await mkdtemp(path.join(tmpdir(), 'dropped-file-'))
afterAll(() => rm(folder, { recursive: true }))

const openNew = async (name: string) => {
  const handle = await open(path.join(folder, name), 'w+')
  return openDropped(handle, { now: () => 0, onClose: async () => undefined })
}
const large = Buffer.alloc(16 * 1024 * 1024, 7)

test('superseding waits for running changes and refuses later ones', async () => {
  const file = await openNew('write')
  const ended: string[] = []
  const writing = file.write(0, [large]).then(() => ended.push('write'))
  const changing = file.change({ modifiedAt: 1 }).then(() => ended.push('change'))
  const superseding = file.supersede().then(() => ended.push('superseded'))
  await expect(file.write(0, [large])).rejects.toThrow('A later transfer of this file has begun')
  await expect(file.change({ size: 0 })).rejects.toThrow('A later transfer of this file has begun')
  await Promise.all([writing, changing, superseding])
  expect(ended.at(-1)).toBe('superseded')
  expect(await file.facts()).toMatchObject({ size: large.length })
  await expect(file.close(true)).rejects.toThrow('A later transfer of this file has begun')
})
