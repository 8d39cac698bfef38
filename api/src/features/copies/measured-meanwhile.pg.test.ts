import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { copyProcess } from '../../machine/audio/copy/copy-process.ts'
import { canMakeSpeech, recordSpeech } from '../../testing/recordings.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { renewEpoch } from '../sync/sync.sql.ts'
import { copyWorker } from './copy-worker.ts'

const app = await testApp()
const { context } = app
const person = await app.signedIn()
const admin = await app.signedIn('admin')
const copying = copyProcess({ niceness: 0 })
afterAll(() => copying.close())

const words = { speaker: 'John Smith', date: '2026-11-22', scriptureReference: '', description: '' }
let recordings = 0

/** A recording of its own for each call. */
async function recording(): Promise<File> {
  const name = `${++recordings}.mp3`
  const file = path.join(app.dataDir, name)
  await recordSpeech(file, { seconds: 4, filter: `volume=-${10 + recordings}dB`, output: ['-b:a', '128k'] })
  return new File([new Uint8Array(await readFile(file))], name)
}

async function publish(title: string): Promise<Teaching> {
  const body = { ...words, title }
  return (await call(uploads.smartUpload, { body, files: { audioFile: await recording() } }, person)).teaching
}

async function current(uid: string): Promise<Teaching> {
  return (await call(teachings.list, {}, person)).find((row) => row.uid === uid)!
}

/** Measures the recordings and makes their copies. Returns the teaching that devices receive afterwards. */
async function measured(seen: Teaching): Promise<Teaching> {
  await copyWorker(context, { copying }).runAll()
  const after = await current(seen.uid)
  expect(after.copyUrl).not.toBeNull()
  expect(after.rev).toBeGreaterThan(seen.rev)
  return after
}

const edit = ({ id, uid, rev }: Teaching, changed: Partial<typeof words> & { title: string }) =>
  call(teachings.update, { params: { id }, body: { ...words, ...changed, baseRev: rev, uid } }, person)
const remove = ({ id, uid, rev }: Teaching) =>
  call(teachings.remove, { params: { id }, query: { baseRev: rev, uid } }, person)
const conflict = { status: 409, code: 'revision_conflict' }

describe.skipIf(!canMakeSpeech)('a change made before the recording was measured', () => {
  let hope: Teaching
  beforeAll(async () => {
    hope = await publish('Hope')
  }, 60_000)

  test('is refused if the words were changed meanwhile', async () => {
    const changed = await edit(hope, { title: 'Hope in Him' })
    await measured(changed)
    expect(await refusal(remove(hope))).toMatchObject(conflict)
    expect(await refusal(edit(hope, { title: 'Hope alone' }))).toMatchObject(conflict)
    const again = await edit(changed, { title: 'Hope' })
    expect(await refusal(remove(changed))).toMatchObject(conflict)
    expect((await current(hope.uid)).rev).toBe(again.rev)
  })

  test('is refused if the teaching was deleted and restored', async () => {
    const seen = await measured(await publish('Faith'))
    await remove(seen)
    await call(bin.restore, { params: { id: seen.id } }, admin)
    expect(await refusal(remove(seen))).toMatchObject(conflict)
  })

  test('is refused if an older database was restored', async () => {
    const seen = await publish('Love')
    await context.sql.begin((tx) => renewEpoch(tx))
    await measured(seen)
    expect(await refusal(remove(seen))).toMatchObject(conflict)
  })

  test('deletes the teaching', async () => {
    const seen = await publish('Joy')
    await measured(seen)
    await remove(seen)
    expect(await current(seen.uid)).toBeUndefined()
  })

  test('edits the teaching, and returns its measurements', async () => {
    const seen = await publish('Peace')
    const { copyUrl, loudness, rev } = await measured(seen)
    const edited = await edit(seen, { title: 'Peace I leave' })
    expect(edited).toMatchObject({ title: 'Peace I leave', copyUrl, loudness })
    expect(edited.rev).toBeGreaterThan(rev)
    // The next edit of a device may be based on any of the three revisions.
    expect(await refusal(edit(seen, { title: 'Peace I give' }))).toMatchObject(conflict)
  })

  test('replaces the recording', async () => {
    const seen = await publish('Patience')
    await measured(seen)
    const { id, uid, rev } = seen
    const body = { ...words, title: 'Patience', baseRev: rev, uid }
    const files = { audioFile: await recording() }
    const replaced = await call(teachings.update, { params: { id }, body, files }, person)
    expect(replaced.audioUrl).not.toBe(seen.audioUrl)
  })
})
