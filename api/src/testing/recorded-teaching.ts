import { createHash, randomBytes } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { crc32 } from 'node:zlib'
import { columnsOf, insertTeaching } from '../features/teachings/teachings.ts'
import type { testApp } from './test-app.ts'

/** Adds a teaching with a recording of random bytes, as an upload leaves them. */
export async function addRecordedTeaching(
  { dataDir, context: { sql } }: Pick<Awaited<ReturnType<typeof testApp>>, 'dataDir' | 'context'>,
  fields: { title: string } & Partial<Parameters<typeof columnsOf>[0]>,
  bytes: number,
) {
  const content = randomBytes(bytes)
  const audioSha256 = createHash('sha256').update(content).digest('hex')
  await writeFile(path.join(dataDir, 'audio', `${audioSha256}.mp3`), content)
  const teaching = await sql.begin((tx) =>
    insertTeaching(tx, {
      ...columnsOf({ speaker: 'Sam', date: '2026-11-22', scriptureReference: '', ...fields }),
      audioUrl: `/audio/${audioSha256}.mp3`,
      audioSha256,
      audioBytes: bytes,
      audioMime: 'audio/mpeg',
      audioCrc32: crc32(content),
      duration: '1:00',
    }),
  )
  return { ...teaching, content, sha256: audioSha256 }
}
