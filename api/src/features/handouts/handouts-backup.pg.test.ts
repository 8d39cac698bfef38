import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { handoutAddress, type Handout } from '@fellowship/schema/handouts/handout-file'
import { handouts } from '@fellowship/schema/handouts/handouts.contract'
import { call } from '@fellowship/sync/call/call'
import { changedBackup, savedBackup } from '../../testing/changed-backup.ts'
import { samplePdf } from '../../testing/sample-pdf.ts'
import { testApp } from '../../testing/test-app.ts'
import { restore } from '../backup/restore.ts'

const app = await testApp()
const admin = await app.signedIn('admin')
const pdf = samplePdf()
const [row] = await app.context.sql<{ id: number }[]>`
  insert into teachings (title, speaker, date, year) values ('Hope', 'Ruth', '2026-11-22', 2026) returning id`
const files = { handout: new File([new Uint8Array(pdf)], 'Outline.pdf') }
const { handouts: added } = await call(handouts.add, { params: row!, query: {}, files }, admin)
const outline = added![0]!

async function saved() {
  const folder = await mkdtemp(path.join(tmpdir(), 'handouts-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return {
    file: await savedBackup(admin, path.join(folder, 'saved.zip')),
    to: path.join(folder, 'changed.zip'),
  }
}

const entry = 'handouts/Hope_Ruth_20261122.pdf'
type Change = Parameters<typeof changedBackup>[2]
const list = ({ tables }: Parameters<Change>[0]) => tables['teachings']![0]!['handouts'] as Handout[]

test.each<[string, Change, RegExp]>([
  ['no PDF', ({ contents }) => contents.set(entry, Buffer.from('<script>')), /named after another handout/],
  [
    'another type',
    ({ about }) => {
      about.files.find(({ kind }) => kind === 'handouts')!.storedAs = `${outline.hash}.png`
    },
    /no handout of its type/,
  ],
  [
    'a path',
    (parts) => {
      Object.assign(list(parts)[0]!, { name: '../../a.pdf' })
    },
    /handouts\.0\.name/,
  ],
  [
    'another length',
    (parts) => {
      Object.assign(list(parts)[0]!, { bytes: 7 })
    },
    /another number of bytes/,
  ],
  ['six of them', (parts) => list(parts).push(...Array<Handout>(5).fill(outline)), /handouts/],
])('a restore refuses a handout with %s', async (_, change, sentence) => {
  const { file, to } = await saved()
  const elsewhere = await testApp()
  await expect(restore(elsewhere.context, await changedBackup(file, to, change))).rejects.toThrow(sentence)
  expect(await readdir(path.join(elsewhere.dataDir, 'handouts'))).toEqual([])
})

test('a restored teaching has its handout', async () => {
  const { file } = await saved()
  const elsewhere = await testApp()
  expect(await restore(elsewhere.context, file)).toMatchObject({ handouts: 1, missing: [] })
  const answer = await fetch(elsewhere.url + handoutAddress(outline))
  expect(Buffer.from(await answer.arrayBuffer()).equals(pdf)).toBe(true)
  expect(answer.headers.get('content-disposition')).toContain('Outline.pdf')
})

test('a backup names a missing handout, and the rest comes back', async () => {
  await app.context.storage.remove('handouts', `${outline.hash}.pdf`)
  const { file } = await saved()
  const elsewhere = await testApp()
  expect(await restore(elsewhere.context, file)).toMatchObject({ handouts: 0, missing: [entry] })
  expect((await fetch(elsewhere.url + handoutAddress(outline))).status).toBe(404)
})
