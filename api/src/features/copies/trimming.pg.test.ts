import { createWriteStream } from 'node:fs'
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audio } from '@fellowship/schema/audio/audio.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { copyProcess } from '../../machine/audio/copy/copy-process.ts'
import { openArchive } from '../../machine/zip/unzip.ts'
import { canMakeSpeech, measure, recordSpeech } from '../../testing/recordings.ts'
import { refusal, type TestClient } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { purgeOldRecordings } from '../audio/audio.ts'
import { planBackup, writeBackup } from '../backup/backup-plan.ts'
import { restore } from '../backup/restore.ts'
import { copyWorker } from './copy-worker.ts'
import { removeUnusedCopies, removeUnusedUntouched } from './copies.ts'
import { untrimTeaching } from './trimming.ts'

const app = await testApp()
const { context, clock } = app
const admin = await app.signedIn('admin')
const person = await app.signedIn()
const copying = copyProcess({ niceness: 0 })
afterAll(() => copying.close())
const measureAll = () => copyWorker(context, { copying }).runAll()

const inFolder = (name: string) => path.join(app.dataDir, name)
const onDisk = (url: string) => path.join(app.dataDir, url.slice(1))

async function publish(file: string, title: string): Promise<Teaching> {
  const body = { title, speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
  const audioFile = new File([new Uint8Array(await readFile(inFolder(file)))], file)
  return (await call(uploads.smartUpload, { body, files: { audioFile } }, person)).teaching
}
const current = async (uid: string) =>
  (await call(teachings.list, {}, person)).find((row) => row.uid === uid)!
const sounds = () => call(copies.sounds, {}, person)
const noteOf = async ({ uid }: Teaching) => (await sounds()).notes.find((note) => note.uid === uid)
const trim = ({ id, uid }: Teaching, seen = {}) =>
  call(copies.trim, { params: { id }, body: { uid, ...seen } }, person)
/** Changes the words of a teaching. Returns the previous revision. */
async function changeWords({ uid }: Teaching, description: string, chapters?: string): Promise<number> {
  const { id, rev, title, speaker, date } = await current(uid)
  const body = { title, speaker, date, scriptureReference: '', description, chapters, baseRev: rev }
  await call(teachings.update, { params: { id }, body }, person)
  return rev
}
/** Tenths of a second are lost when a recording is cut between two frames. */
const startsOf = async ({ id }: Teaching, client: TestClient) =>
  (await call(transcripts.read, { params: { id } }, client)).approved!.sentences.map(
    ({ start }) => Math.round(start! / 1000) * 1000,
  )
const untrim = ({ id, uid }: Teaching, seen = {}) =>
  call(copies.untrim, { params: { id }, body: { uid, ...seen } }, person)

test('only signed-in users see faults or trim', async () => {
  const stranger = app.client()
  expect((await refusal(call(copies.sounds, {}, stranger))).status).toBe(401)
  for (const endpoint of [copies.trim, copies.untrim])
    expect((await refusal(call(endpoint, { params: { id: 1 }, body: {} }, stranger))).status).toBe(401)
  for (const endpoint of [copies.trim, copies.untrim])
    expect((await refusal(call(endpoint, { params: { id: 1 }, body: {} }, person))).status).toBe(404)
})

describe.skipIf(!canMakeSpeech)('with recordings', () => {
  let hope: Teaching
  const late = "volume='if(lt(t,12)+gt(t,24),0,0.5)':eval=frame"

  beforeAll(async () => {
    await recordSpeech(inFolder('late.mp3'), { seconds: 36, filter: late, output: ['-b:a', '96k'] })
    await recordSpeech(inFolder('late.m4a'), { seconds: 36, filter: late, output: ['-c:a', 'aac'] })
    await recordSpeech(inFolder('even.mp3'), { seconds: 8, output: ['-b:a', '96k'] })
    hope = await publish('late.mp3', 'Hope')
  }, 60_000)

  test('a recording cannot be trimmed before it is measured', async () => {
    expect(await sounds()).toEqual({ notes: [], waiting: [hope.uid], unmeasurable: [] })
    expect(await refusal(trim(hope))).toMatchObject({ status: 400, code: 'invalid_input' })
    expect((await refusal(untrim(hope))).status).toBe(404)
  })

  test('lists faults and seconds to trim for signed-in users', async () => {
    const even = await publish('even.mp3', 'Even')
    expect(await measureAll()).toBe(2)
    const { notes, waiting } = await sounds()
    expect(waiting).toEqual([])
    expect(notes).toMatchObject([
      { uid: hope.uid, title: 'Hope', faults: ['silent_start', 'silent_end'], untouched: null },
    ])
    const { start, end } = notes[0]!.trim!
    expect([Math.abs(start - 11) < 0.5, Math.abs(end - 11) < 0.8]).toEqual([true, true])
    expect(await refusal(trim(even))).toMatchObject({ status: 400 })
  })

  test('a conflicting edit prevents the trim without remains', async () => {
    const seen = await changeWords(hope, 'Of hope', '0:05 Welcome\n0:17 Grace (teaching starts here)')
    expect(await refusal(trim(hope, { baseRev: seen }))).toMatchObject({
      status: 409,
      code: 'revision_conflict',
    })
    expect((await call(audio.stats, {}, admin)).orphanedFiles).toBe(0)
    expect((await current(hope.uid)).audioUrl).toBe(hope.audioUrl)
  })

  test('a trim shortens the recording and keeps the original', async () => {
    const before = await measure(onDisk(hope.audioUrl!))
    const params = { id: hope.id }
    const transcript = new File(['[0:11] Welcome.\n[0:17] Grace to you.'], 'hope.txt')
    await call(transcripts.save, { params, query: {}, body: {}, files: { transcript } }, person)
    await call(transcripts.approve, { params, body: {} }, person)
    const trimmed = await trim(hope)
    expect(await startsOf(hope, person)).toEqual([0, 6_000])
    expect(trimmed.transcriptRev).toBe((await current(hope.uid)).transcriptRev)
    expect(trimmed.audioUrl).not.toBe(hope.audioUrl)
    expect([trimmed.title, trimmed.speaker, trimmed.date]).toEqual([hope.title, hope.speaker, hope.date])
    expect(trimmed.chapters).toBe('0:00 Welcome\n0:06 Grace (teaching starts here)')
    const after = await measure(onDisk(trimmed.audioUrl!))
    expect(Math.abs(before.seconds - after.seconds - 22)).toBeLessThan(1.2)
    const moved = await fetch(app.url + hope.audioUrl!, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([302, trimmed.audioUrl])
    expect(await noteOf(hope)).toMatchObject({
      untouched: { bytes: hope.audioBytes, duration: hope.duration },
    })
    expect(await measureAll()).toBe(1)
    expect(await noteOf(hope)).toMatchObject({ faults: [], trim: null })
    expect(await refusal(trim(hope))).toMatchObject({ status: 400 })
  })

  test('cleanups keep the untouched recording', async () => {
    await context.sql`update audio_moved set moved_at = now() - interval '31 days'`
    clock.advance(25 * 60 * 60_000)
    await purgeOldRecordings(context)
    await removeUnusedCopies(context)
    await removeUnusedUntouched(context)
    expect((await call(audio.cleanup, {}, admin)).deleted).toEqual([])
    expect((await stat(onDisk(hope.audioUrl!))).size).toBe(hope.audioBytes)
    const { id } = await current(hope.uid)
    await call(teachings.remove, { params: { id }, query: {} }, person)
    await removeUnusedUntouched(context)
    await call(bin.restore, { params: { id } }, admin)
    expect((await stat(onDisk(hope.audioUrl!))).size).toBe(hope.audioBytes)
  })

  test('backups hold both, and a restore can undo the trim', async () => {
    const file = inFolder('backup.zip')
    const target = createWriteStream(file)
    await writeBackup(await planBackup(context), target)
    target.end()
    await finished(target)
    const archive = await openArchive(file)
    const names = [...archive.entries.keys()]
    archive.close()
    expect(names.filter((name) => name.startsWith('audio/untouched/'))).toEqual([
      'audio/untouched/Hope_John_Smith_20261122.mp3',
    ])
    const elsewhere = await testApp()
    await restore(elsewhere.context, file, { replace: true })
    const there = await elsewhere.signedIn()
    const { id, uid } = (await call(teachings.list, {}, there)).find((row) => row.uid === hope.uid)!
    const back = await call(copies.untrim, { params: { id }, body: { uid } }, there)
    expect(back.audioUrl).toBe(hope.audioUrl)
    expect(back.chapters).toBe('0:11 Welcome\n0:17 Grace (teaching starts here)')
    expect(await startsOf({ ...hope, id }, there)).toEqual([11_000, 17_000])
    expect((await fetch(elsewhere.url + back.audioUrl!)).status).toBe(200)
  })

  test('undoing a trim restores the original byte for byte', async () => {
    const trimmed = await current(hope.uid)
    const seen = await changeWords(hope, '')
    expect(await refusal(untrim(hope, { baseRev: seen }))).toMatchObject({ status: 409 })
    const back = await untrim(hope)
    expect([back.audioUrl, back.audioBytes, back.duration]).toEqual([
      hope.audioUrl,
      hope.audioBytes,
      hope.duration,
    ])
    const moved = await fetch(app.url + trimmed.audioUrl!, { redirect: 'manual' })
    expect([moved.status, moved.headers.get('location')]).toEqual([302, hope.audioUrl])
    const bytes = Buffer.from(await (await fetch(app.url + back.audioUrl!)).arrayBuffer())
    expect(bytes.equals(await readFile(inFolder('late.mp3')))).toBe(true)
  })

  test('reports a missing file instead of trimming it', async () => {
    await measureAll()
    await rename(onDisk(hope.audioUrl!), inFolder('away.mp3'))
    expect(await refusal(trim(hope))).toMatchObject({ status: 404, code: 'not_found' })
    await rename(inFolder('away.mp3'), onDisk(hope.audioUrl!))
  })

  test('a concurrent replacement wins over undoing a trim', async () => {
    await trim(hope)
    const { id } = await current(hope.uid)
    // The other change is written when the recording was read, but not changed yet.
    const replaceMeanwhile = async () => {
      const audioFile = new File([new Uint8Array(await readFile(inFolder('other.mp3')))], 'other.mp3')
      const { title, speaker, date } = hope
      const body = { title, speaker, date, scriptureReference: '' }
      await call(teachings.update, { params: { id }, body, files: { audioFile } }, person)
    }
    await recordSpeech(inFolder('other.mp3'), { seconds: 6, output: ['-b:a', '64k'] })
    const slow: typeof context = {
      ...context,
      storage: {
        ...context.storage,
        stat: async (kind, name) => {
          await replaceMeanwhile()
          return context.storage.stat(kind, name)
        },
      },
    }
    const by = { id: 1, name: 'Ruth' }
    await expect(untrimTeaching(slow, id, {}, by)).rejects.toMatchObject({ code: 'revision_conflict' })
    const { audioUrl } = await current(hope.uid)
    const bytes = Buffer.from(await (await fetch(app.url + audioUrl!)).arrayBuffer())
    expect(bytes.equals(await readFile(inFolder('other.mp3')))).toBe(true)
  })

  test('reports a missing untouched recording', async () => {
    const tag = Buffer.alloc(128)
    tag.write('TAG')
    await writeFile(inFolder('joy.mp3'), Buffer.concat([await readFile(inFolder('late.mp3')), tag]))
    const teaching = await publish('joy.mp3', 'Joy')
    expect(await measureAll()).toBe(2)
    const trimmed = await trim(teaching)
    expect(trimmed.audioUrl).not.toBe(teaching.audioUrl)
    await rm(onDisk(teaching.audioUrl!))
    expect((await refusal(untrim(teaching))).status).toBe(404)
  })

  test('refuses to trim an M4A, with advice', async () => {
    const teaching = await publish('late.m4a', 'Grace')
    await measureAll()
    expect(await noteOf(teaching)).toMatchObject({ trim: null })
    expect(await refusal(trim(teaching))).toMatchObject({ status: 415, code: 'unsupported_audio' })
  })
})
