import { once } from 'node:events'
import { readFile, rm, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { audio } from '@fellowship/schema/audio/audio.contract'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { peaksOf, silencesOf, sound } from '@fellowship/sound/measure/sound-file'
import { soundAddress } from '@fellowship/schema/copies/copies.limits'
import { system } from '@fellowship/schema/system/system.contract'
import { bin, teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { copyProcess, type CopyProcess } from '../../machine/audio/copy/copy-process.ts'
import { formBody, sendForm } from '../../testing/multipart.ts'
import {
  canMakeSpeech,
  measure,
  playedSeconds,
  recordSource,
  recordSpeech,
} from '../../testing/recordings.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { purgeOldRecordings } from '../audio/audio.ts'
import { S3Unreachable } from '../../machine/storage/s3-client.ts'
import { copyWorker } from './copy-worker.ts'
import { checkCopies, removeUnusedCopies, walkCopies } from './copies.ts'
import { copiesToHash, madeCopies } from './copies.sql.ts'

const app = await testApp()
const { context, clock } = app
const admin = await app.signedIn('admin')
const person = await app.signedIn()
const { csrfToken } = await call(auth.csrfToken, {}, person)
const copying = copyProcess({ niceness: 0 })
afterAll(() => copying.close())
const runAll = (given: Parameters<typeof copyWorker>[1] = {}) =>
  copyWorker(context, { copying, ...given }).runAll()

const inFolder = (name: string) => path.join(app.dataDir, name)
const onDisk = (url: string) => path.join(app.dataDir, url.slice(1))

async function publish(file: string, title: string): Promise<Teaching> {
  const body = { title, speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
  const audioFile = new File([new Uint8Array(await readFile(inFolder(file)))], file)
  return (await call(uploads.smartUpload, { body, files: { audioFile } }, person)).teaching
}
const current = async (uid: string) =>
  (await call(teachings.list, {}, person)).find((row) => row.uid === uid)!
const status = () => call(copies.status, {}, admin)

test('only administrators see or pause small copies', async () => {
  for (const client of [person, app.client()]) {
    const expected = client === person ? 403 : 401
    expect((await refusal(call(copies.status, {}, client))).status).toBe(expected)
    expect((await refusal(call(copies.change, { body: { paused: true } }, client))).status).toBe(expected)
    expect((await refusal(call(copies.retry, {}, client))).status).toBe(expected)
  }
  expect((await status()).paused).toBe(false)
})

describe.skipIf(!canMakeSpeech)('with recordings', () => {
  let hope: Teaching

  beforeAll(async () => {
    await recordSpeech(inFolder('hope.mp3'), {
      seconds: 10,
      filter: 'volume=-12dB',
      output: ['-b:a', '128k'],
    })
    await recordSpeech(inFolder('other.wav'), { seconds: 5, filter: 'pan=stereo|c0=c0|c1=0*c0' })
    await recordSpeech(inFolder('small.mp3'), { seconds: 5, output: ['-b:a', '32k'] })
    hope = await publish('hope.mp3', 'Hope')
  }, 60_000)

  test('makes no copy until the pause ends', async () => {
    expect([hope.copyUrl, hope.copyBytes, hope.copyMime, hope.loudness]).toEqual([null, null, null, null])
    expect((await fetch(app.url + soundAddress(hope.audioUrl!)!)).status).toBe(404)
    expect((await call(copies.change, { body: { paused: true } }, admin)).paused).toBe(true)
    expect(await runAll()).toBe(0)
    expect((await line()).sentence).toMatch(/0 of 1 done.*paused/)
    await call(copies.change, { body: { paused: false } }, admin)

    expect(await runAll()).toBe(1)
    const { copyUrl, copyBytes, copyMime, loudness, rev } = await current(hope.uid)
    expect([copyMime, rev > hope.rev]).toEqual(['audio/mpeg', true])
    expect(copyBytes).toBeLessThan((hope.audioBytes! * 2) / 3)
    const original = await measure(onDisk(hope.audioUrl!))
    expect(Math.abs(loudness! - original.loudness)).toBeLessThan(0.3)
    const heard = await measure(onDisk(copyUrl!))
    expect(Math.abs(heard.loudness + 19)).toBeLessThanOrEqual(0.3)
    expect(Math.abs(heard.seconds - original.seconds)).toBeLessThanOrEqual(0.06)
    expect(await runAll()).toBe(0)
    expect(await status()).toMatchObject({ total: 1, done: 1, copies: 1, failed: [], faulty: [] })
    expect((await line()).sentence).toBe('The one recording was looked at; it has a small copy.')
  })

  test('a store that is down costs a recording no try', async () => {
    const down = { run: () => Promise.reject(new S3Unreachable('no answer')), close: () => undefined }
    const other = await publish('small.mp3', 'Meanwhile')
    for (let times = 0; times < 5; times += 1)
      await expect(runAll({ copying: down })).rejects.toThrow(S3Unreachable)
    expect(await runAll()).toBe(1)
    expect((await status()).failed).toEqual([])
    await call(teachings.remove, { params: { id: other.id }, query: {} }, person)
    await context.sql`delete from teachings where id = ${other.id}`
    await context.sql`delete from recording_copies where sha256 = ${other.audioUrl!.slice(7, 71)}`
  })

  test('serves a copy with ranges, a name and a tag', async () => {
    const { copyUrl, copyBytes } = await current(hope.uid)
    const whole = await fetch(app.url + copyUrl!)
    const bytes = Buffer.from(await whole.arrayBuffer())
    expect([whole.status, whole.headers.get('content-type'), bytes.length]).toEqual([
      200,
      'audio/mpeg',
      copyBytes,
    ])
    expect(whole.headers.get('cache-control')).toMatch(/immutable/)
    expect(whole.headers.get('etag')).toBe(`"${copyUrl!.slice(7, 71)}"`)
    const part = await fetch(app.url + copyUrl!, { headers: { range: 'bytes=100-199' } })
    expect([part.status, Buffer.from(await part.arrayBuffer())]).toEqual([206, bytes.subarray(100, 200)])
    const named = await fetch(`${app.url}${copyUrl!}?download=1`)
    expect(named.headers.get('content-disposition')).toMatch(/Hope.*\.mp3/)
    await named.body?.cancel()
  })

  test('serves waveform and silences in at most 2 kB', async () => {
    const response = await fetch(app.url + soundAddress(hope.audioUrl!)!)
    expect([response.status, response.headers.get('cache-control')]).toEqual([
      200,
      expect.stringMatching(/immutable/),
    ])
    const text = await response.text()
    expect(text.length).toBeLessThanOrEqual(2_000)
    const read = sound.parse(JSON.parse(text))
    expect([peaksOf(read).length, Math.max(...peaksOf(read)), Math.abs(read.seconds - 10) < 0.1]).toEqual([
      800,
      1,
      true,
    ])
    expect(silencesOf(read).every(({ start, end }) => end - start >= 1.3)).toBe(true)
  })

  test('copies are no orphans, and small recordings get none', async () => {
    const small = await publish('small.mp3', 'Small')
    expect(await runAll()).toBe(1)
    const found = await current(small.uid)
    expect([found.copyUrl, found.copyBytes, found.copyMime]).toEqual([null, null, null])
    expect(found.loudness).toBeLessThan(0)
    clock.advance(25 * 60 * 60_000)
    const { copyUrl } = await current(hope.uid)
    expect((await call(audio.cleanup, {}, admin)).deleted).toEqual([])
    expect((await stat(onDisk(copyUrl!))).size).toBeGreaterThan(0)
    expect(await call(audio.stats, {}, admin)).toMatchObject({
      totalFiles: 3,
      referencedFiles: 3,
      orphanedFiles: 0,
    })
  })

  test('a replaced recording gets a new copy and a redirect', async () => {
    const before = await current(hope.uid)
    const words = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', _csrf: csrfToken }
    const parts = [
      ...Object.entries(words).map(([name, value]) => ({ name, value })),
      { name: 'audioFile', filename: 'other.wav', body: [await readFile(inFolder('other.wav'))] },
    ]
    const answer = await sendForm(person, `/api/teachings/${before.id}`, formBody(parts), { method: 'PUT' })
    expect(answer.status).toBe(200)
    const replaced = await current(hope.uid)
    expect([replaced.copyUrl, replaced.copyBytes, replaced.copyMime, replaced.loudness]).toEqual([
      null,
      null,
      null,
      null,
    ])
    const toOriginal = await fetch(app.url + before.copyUrl!, { redirect: 'manual' })
    expect([toOriginal.status, toOriginal.headers.get('location')]).toEqual([302, replaced.audioUrl])
    expect(await runAll()).toBe(1)
    const again = await current(hope.uid)
    expect(again.copyUrl).not.toBe(before.copyUrl)
    const toCopy = await fetch(app.url + before.copyUrl!, { redirect: 'manual' })
    expect([toCopy.status, toCopy.headers.get('location')]).toEqual([302, again.copyUrl])
    expect((await status()).faulty).toMatchObject([{ title: 'Hope', faults: ['right_silent'] }])
    hope = again
  })

  test('a restore keeps the copy, a purge deletes it', async () => {
    await call(teachings.remove, { params: { id: hope.id }, query: {} }, person)
    expect((await fetch(app.url + hope.copyUrl!)).status).toBe(404)
    await call(bin.restore, { params: { id: hope.id } }, admin)
    expect((await current(hope.uid)).copyUrl).toBe(hope.copyUrl)
    expect((await fetch(app.url + hope.copyUrl!)).status).toBe(200)
    await call(teachings.remove, { params: { id: hope.id }, query: {} }, person)
    await context.sql`update teachings set deleted_at = now() - interval '31 days' where deleted_at is not null`
    await purgeOldRecordings(context)
    await removeUnusedCopies(context)
    await expect(stat(onDisk(hope.copyUrl!))).rejects.toThrow('ENOENT')
  })

  test('a recording published again reuses its copy', async () => {
    const teaching = await publish('hope.mp3', 'Faith')
    expect(teaching.copyUrl).toMatch(/^\/audio\//)
    expect(await runAll()).toBe(0)
    const { copyUrl } = await current(teaching.uid)
    await rm(onDisk(copyUrl!))
    await checkCopies(context)
    expect((await current(teaching.uid)).copyUrl).toBeNull()
    expect(await runAll()).toBe(1)
    expect((await current(teaching.uid)).copyUrl).toBe(copyUrl)
    expect((await stat(onDisk(copyUrl!))).size).toBeGreaterThan(0)
  })

  test('the weekly walk replaces a damaged copy only', async () => {
    const { uid, copyUrl } = (await call(teachings.list, {}, person)).find((row) => row.copyUrl !== null)!
    const walk = async () => {
      await context.sql`delete from chore_runs`
      expect(await walkCopies(context, 1)).toBe(true)
    }
    await walk()
    expect((await current(uid)).copyUrl).toBe(copyUrl)
    expect(await walkCopies(context, 1)).toBe(false)

    const whole = await readFile(onDisk(copyUrl!))
    const rotten = Buffer.from(whole)
    rotten[1_000]! ^= 1
    await writeFile(onDisk(copyUrl!), rotten)
    await walk()
    expect((await current(uid)).copyUrl).toBeNull()
    expect(await runAll()).toBe(1)
    expect((await current(uid)).copyUrl).toBe(copyUrl)
    expect((await readFile(onDisk(copyUrl!))).equals(whole)).toBe(true)
  })

  test('the walk checks each copy once in four weeks', async () => {
    const hashes = (await madeCopies(context.sql)).map(({ copySha256 }) => copySha256)
    expect(hashes.length).toBeGreaterThan(0)
    const seen: string[] = []
    for (let week = 0; week < 4; week += 1) {
      seen.push(...(await copiesToHash(context.sql, { weeks: 4, week })).map(({ copySha256 }) => copySha256))
    }
    expect(seen.toSorted()).toEqual(hashes.toSorted())
  })

  test('an unreadable recording fails until a retry is requested', async () => {
    await recordSource(inFolder('two.wav'), 'sine=r=48000:d=3')
    const teaching = await publish('two.wav', 'Love')
    // The disk loses its format after it was published.
    const bytes = await readFile(onDisk(teaching.audioUrl!))
    const broken = Buffer.from(bytes)
    broken.writeUInt16LE(99, 20)
    await writeFile(onDisk(teaching.audioUrl!), broken)
    expect(await runAll()).toBe(1)
    const { failed } = await status()
    expect(failed).toMatchObject([{ title: 'Love' }])
    expect(failed[0]!.why).toMatch(/WAV of kind 99/)
    expect((await line()).advice).toMatch(/Love.*WAV of kind 99/)
    expect(await runAll()).toBe(0)
    await writeFile(onDisk(teaching.audioUrl!), bytes)
    expect((await call(copies.retry, {}, admin)).failed).toEqual([])
    expect(await runAll()).toBe(1)
    expect((await current(teaching.uid)).copyUrl).toMatch(/^\/audio\//)
  })

  test('an M4A waits until ffmpeg is installed', async () => {
    await recordSource(inFolder('phone.m4a'), 'sine=r=44100:f=700:d=4', ['-b:a', '96k'])
    const teaching = await publish('phone.m4a', 'Phone')
    expect(await runAll({ findFfmpeg: () => undefined })).toBe(1)
    expect(await runAll({ findFfmpeg: () => undefined })).toBe(0)
    expect(await status()).toMatchObject({ waitingForFfmpeg: 1, failed: [] })
    expect((await line()).sentence).toMatch(/Waiting for ffmpeg .*: 1 M4A recording\.$/)
    expect((await current(teaching.uid)).copyUrl).toBeNull()

    expect(await runAll()).toBe(1)
    const { copyUrl, audioBytes, copyBytes } = await current(teaching.uid)
    expect(copyBytes).toBeLessThan((audioBytes! * 2) / 3)
    expect(Math.abs((await playedSeconds(onDisk(copyUrl!))) - 4)).toBeLessThanOrEqual(0.06)
    expect((await status()).waitingForFfmpeg).toBe(0)
  })

  test('retries four times if the process dies', async () => {
    await recordSource(inFolder('three.wav'), 'sine=r=48000:f=200:d=3')
    const teaching = await publish('three.wav', 'Joy')
    const dying: CopyProcess = { run: () => Promise.reject(new Error('It ended.')), close: () => undefined }
    for (const expected of [1, 1, 1, 1, 0]) {
      expect(await runAll({ copying: dying })).toBe(expected)
      expect(await runAll({ copying: dying })).toBe(0)
      clock.advance(61 * 60_000)
    }
    expect((await status()).failed).toMatchObject([{ id: teaching.id, why: 'It ended.' }])
    await call(copies.retry, {}, admin)
    expect(await runAll()).toBe(1)
  })

  test('only one of two workers copies recordings', async () => {
    const titles = ['One', 'Two', 'Three']
    for (const [at, title] of titles.entries()) {
      await recordSource(inFolder(`${title}.wav`), `sine=r=44100:f=${300 + at}:d=3`)
      await publish(`${title}.wav`, title)
    }
    const asked: string[] = []
    const counting: CopyProcess = {
      run(job) {
        asked.push(job.path)
        return copying.run(job)
      },
      close: () => undefined,
    }
    const both = await Promise.all([runAll({ copying: counting }), runAll({ copying: counting })])
    expect([both.includes(3), both.includes(undefined)]).toEqual([true, true])
    expect([asked.length, new Set(asked).size]).toEqual([3, 3])
  })

  test('resumes after a kill, and gives up after many', async () => {
    await recordSource(inFolder('five.wav'), 'sine=r=44100:f=600:d=3')
    const teaching = await publish('five.wav', 'Mercy')
    const sha256 = teaching.audioUrl!.slice(7, 71)
    const killed = (tries: number) => context.sql`
      insert into recording_copies (sha256, state, tries, tried_at) values (${sha256}, 'working', ${tries}, now())
      on conflict (sha256) do update set state = 'working', tries = excluded.tries, copy_sha256 = null, copy_bytes = null`
    await killed(4)
    expect(await runAll()).toBe(1)
    expect((await status()).failed).toMatchObject([
      { id: teaching.id, why: 'The work on it was broken off too often.' },
    ])
    await killed(3)
    expect(await runAll()).toBe(1)
    expect((await current(teaching.uid)).copyUrl).toMatch(/^\/audio\//)
    expect((await status()).failed).toEqual([])
  })

  test('a stop during the work counts as no try', async () => {
    await recordSource(inFolder('four.wav'), 'sine=r=44100:f=500:d=3')
    const teaching = await publish('four.wav', 'Peace')
    let stopped: ReturnType<typeof copyWorker> | undefined
    const ending: CopyProcess = {
      async run() {
        stopped!.stop()
        throw new Error('It ended.')
      },
      close: () => undefined,
    }
    stopped = copyWorker(context, { copying: ending })
    expect(await stopped.runAll()).toBe(1)
    expect((await status()).failed).toEqual([])
    expect(await runAll()).toBe(1)
    expect((await current(teaching.uid)).copyUrl).toMatch(/^\/audio\//)
  })

  /** Waits with the copy of one teaching until `end` is called, and makes the others as ever. */
  function stuckOn(teaching: Teaching) {
    const ended = new AbortController()
    let begins = 0
    let breaks = 0
    const process: CopyProcess = {
      async run(job, gone) {
        if (!teaching.audioUrl!.endsWith(path.basename(job.path))) return copying.run(job, gone)
        begins += 1
        const over = AbortSignal.any([ended.signal, gone!])
        if (!over.aborted) await once(over, 'abort')
        if (gone!.aborted) breaks += 1
        return copying.run(job, gone)
      },
      close: () => undefined,
    }
    const hasBegun = (times: number) => expect.poll(() => begins, { timeout: 20_000 }).toBe(times)
    return { process, hasBegun, end: () => ended.abort(), breaks: () => breaks }
  }

  async function publishTone(title: string, frequency: number): Promise<Teaching> {
    await recordSource(inFolder(`${title}.wav`), `sine=r=44100:f=${frequency}:d=3`)
    return publish(`${title}.wav`, title)
  }

  test('breaks off a copy that is no longer needed', async () => {
    const teaching = await publishTone('Grace', 410)
    const stuck = stuckOn(teaching)
    const first = runAll({ copying: stuck.process })
    await stuck.hasBegun(1)
    await call(copies.change, { body: { paused: true } }, admin)
    expect([await first, stuck.breaks()]).toEqual([1, 1])
    await call(copies.change, { body: { paused: false } }, admin)
    const second = runAll({ copying: stuck.process })
    await stuck.hasBegun(2)
    await call(teachings.remove, { params: { id: teaching.id }, query: {} }, person)
    expect([await second, stuck.breaks()]).toEqual([1, 2])
    expect((await status()).failed).toEqual([])
  })

  test('a recording that takes long delays no other', { timeout: 60_000 }, async () => {
    const quick = await publishTone('Quick', 430)
    const slow = await publishTone('Slow', 420)
    const stuck = stuckOn(slow)
    const running = runAll({ copying: stuck.process, turnMs: 50 })
    await expect.poll(async () => (await current(quick.uid)).copyUrl, { timeout: 40_000 }).not.toBeNull()
    expect((await current(slow.uid)).copyUrl).toBeNull()
    stuck.end()
    expect(await running).toBe(2)
    expect((await current(slow.uid)).copyUrl).not.toBeNull()
  })

  test('recordings that differ only in tags share a copy', async () => {
    const sound = await readFile(inFolder('hope.mp3'))
    const twins: Teaching[] = []
    for (const title of ['First twin', 'Second twin']) {
      const tag = Buffer.alloc(128)
      tag.write(`TAG${title}`)
      await writeFile(inFolder('twin.mp3'), Buffer.concat([sound, tag]))
      twins.push(await publish('twin.mp3', title))
    }
    expect(await runAll()).toBe(2)
    expect((await status()).failed).toEqual([])
    const [first, second] = await Promise.all(twins.map(({ uid }) => current(uid)))
    expect(first!.audioUrl).not.toBe(second!.audioUrl)
    expect([first!.copyUrl, first!.copyUrl]).toEqual([second!.copyUrl, expect.stringMatching(/^\/audio\//)])

    await call(teachings.remove, { params: { id: first!.id }, query: {} }, person)
    await context.sql`update teachings set deleted_at = now() - interval '31 days' where deleted_at is not null`
    await purgeOldRecordings(context)
    await removeUnusedCopies(context)
    expect((await fetch(app.url + second!.copyUrl!)).status).toBe(200)
  })

  const line = async () => (await call(system.info, {}, admin)).health.find(({ id }) => id === 'copies')!
})
