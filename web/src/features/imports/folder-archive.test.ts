import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { archiveOf } from './folder-archive.ts'

const file = (path: string, content: string) => {
  const made = new File([content], path.split('/').at(-1)!)
  return Object.defineProperty(made, 'webkitRelativePath', { value: path })
}

test('a folder without recordings is refused', async () => {
  await expect(
    archiveOf([file('Old/a.txt', 'a'), file('Old/.b.mp3', 'b'), file('Old/c.jpg', 'c')]),
  ).rejects.toThrow(/no recording/)
})

test('recordings and tables are stored under their paths', async () => {
  const archive = await archiveOf([
    file('Old/Romans/é.mp3', 'sound'),
    file('Old/all.csv', 'title,date'),
    file('Old/a.txt', 'a'),
  ])
  expect(archive.name).toBe('Old.zip')
  const bytes = Buffer.from(await archive.arrayBuffer())
  const end = bytes.length - 22
  expect([bytes.readUInt32LE(end), bytes.readUInt16LE(end + 10)]).toEqual([0x06054b50, 2])
  const entries: unknown[] = []
  for (let at = bytes.readUInt32LE(end + 16); at < end;) {
    const [crc, size, nameBytes] = [16, 24, 28].map((from) =>
      from === 28 ? bytes.readUInt16LE(at + from) : bytes.readUInt32LE(at + from),
    ) as [number, number, number]
    const name = bytes.toString('utf8', at + 46, at + 46 + nameBytes)
    const local = bytes.readUInt32LE(at + 42)
    const content = bytes.subarray(local + 30 + nameBytes, local + 30 + nameBytes + size)
    entries.push([name, bytes.readUInt32LE(local), content.toString(), crc === crc32(content)])
    at += 46 + nameBytes
  }
  expect(entries).toEqual([
    ['Romans/é.mp3', 0x04034b50, 'sound', true],
    ['all.csv', 0x04034b50, 'title,date', true],
  ])
})
