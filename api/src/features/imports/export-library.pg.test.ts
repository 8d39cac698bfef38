import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { series } from '@fellowship/schema/series/series.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { recordingOf } from '../../testing/old-site.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { testApp } from '../../testing/test-app.ts'
import {
  approvedTexts,
  approvedVtt,
  approveDraft,
  readCaptionBytes,
  saveDraft,
} from '../transcripts/transcripts.ts'
import { receiveFile } from '../uploads/uploads.ts'
import { exportLibrary, FolderNotEmpty } from './export-library.ts'
import { importWorker } from './import-worker.ts'
import { confirmImport, createImport, readImport } from './imports.ts'

const from = await testApp()
const to = await testApp()
const by = { id: null, name: 'Tester' }

async function add(
  number: number,
  words: { title: string; description?: string; scriptureReference?: string; chapters?: string },
) {
  const { context } = from
  const staged = await context.storage.stage()
  await staged.write([await recordingOf(number)])
  const { teaching } = await receiveFile(
    context,
    { staged, hashing: context.hashes.follow(staged.path) },
    { create: { speaker: 'Sam "S." Desk', date: '2020-11-22', scriptureReference: '', ...words }, by },
  )
  return teaching
}

/** An approved text, and a draft that no export has. */
async function addTexts({ id }: { id: number }) {
  const { context } = from
  for (const words of ['Grace & peace.', 'A draft.']) {
    const text = readCaptionBytes(Buffer.from(`[0:00] ${words} [0:01] <Amen>.`))
    await saveDraft(context, { id }, { ...text, source: 'person' }, { actor: by })
    if (words !== 'A draft.') await approveDraft(context, { id }, by)
  }
}

const facts = async (app: typeof from) =>
  (await call(teachings.list, {}, app.client())).map(
    ({ title, speaker, date, scriptureReference, description, chapters, audioUrl }) => ({
      title,
      speaker,
      date,
      scriptureReference,
      description,
      chapters,
      audioUrl,
    }),
  )

const guids = async (app: typeof from) =>
  (await (await app.client().fetch(`${app.url}/feed.xml`, {})).text()).match(/(?<=<guid[^>]*>)[^<]+/g)

async function seriesOf(app: typeof from) {
  const titles = new Map((await call(teachings.list, {}, app.client())).map(({ uid, title }) => [uid, title]))
  const lists = await call(series.list, {}, app.client())
  return lists
    .map(({ title, description, teachings: uids, imageUrl }) => ({
      title,
      description,
      teachings: uids.map((uid) => titles.get(uid)),
      hasPicture: imageUrl !== null,
    }))
    .sort((a, b) => b.teachings.length - a.teachings.length)
}

test('an export that is moved in again has lost nothing', async () => {
  const first = await add(1, { title: 'Same title', description: 'a <b> & [sic]\nsam@example.org' })
  const second = await add(2, { title: 'Romans 8', scriptureReference: 'Romans 8' })
  await add(3, { title: '=1+1, "quoted"; &amp;', chapters: '0:00 A, "b"\n0:01 C (teaching starts here)' })
  const admin = await from.signedIn('admin')
  const described = { title: 'Hope', description: 'For "all";\nof us', teachings: [second.uid, first.uid] }
  const { uid } = await call(series.create, { body: described }, admin)
  const picture = new File([new Uint8Array(plainPng(900, 900))], 'hope.png')
  await call(series.picture, { params: { uid }, files: { picture } }, admin)
  for (const teachings of [[first.uid], []])
    await call(series.create, { body: { title: 'A | B', teachings } }, admin)
  await addTexts(first)
  const root = await mkdtemp(path.join(tmpdir(), 'export-'))
  onTestFinished(() => rm(root, { recursive: true, force: true }))
  const folder = path.join(root, 'out')
  expect(await exportLibrary(from.context, folder, 'https://a.example')).toEqual({
    teachings: 3,
    missing: [],
  })
  expect((await readdir(folder)).sort()).toEqual([
    'all-series.csv',
    'feed.xml',
    'pictures',
    'recordings',
    'teachings.csv',
  ])
  expect(await readdir(path.join(folder, 'recordings'))).toContain('Same_title_Sam_S._Desk_20201122.mp3')
  expect(await readFile(path.join(folder, 'feed.xml'), 'utf8')).toContain('<title>Same title</title>')
  await expect(exportLibrary(from.context, folder, 'https://a.example')).rejects.toThrow(FolderNotEmpty)

  const { context } = to
  const { id } = await createImport(context, { kind: 'folder', source: folder, document: null }, {}, by)
  await importWorker(context).runAll()
  await confirmImport(context, id, {}, by)
  await importWorker(context).runAll()
  expect((await readImport(context, id)).items.map(({ outcome, reason }) => [outcome, reason])).toEqual(
    Array.from({ length: 3 }, () => ['imported', '']),
  )
  expect(await facts(to)).toEqual(await facts(from))
  expect(await guids(to)).toEqual(await guids(from))
  expect(await seriesOf(to)).toEqual(await seriesOf(from))
  expect((await readdir(path.join(folder, 'recordings'))).filter((name) => name.endsWith('.vtt'))).toEqual([
    'Same_title_Sam_S._Desk_20201122.vtt',
  ])
  const uids = (await approvedTexts(to.context.sql)).map(({ teaching }) => teaching)
  expect(await Promise.all(uids.map((each) => approvedVtt(to.context, each)))).toEqual([
    await approvedVtt(from.context, first.uid),
  ])
})
