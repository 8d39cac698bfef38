import { aTeaching } from '@fellowship/schema/testing/builders'
import {
  editOf,
  storedWords,
  textOf,
  wordsIn,
  type TeachingPatch,
} from '@fellowship/schema/teachings/teaching-words'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { expect, test } from 'vitest'
import { UploadDatabase } from '../database/upload-database.ts'
import { requestRate } from '../engine/rate.ts'
import { rebaseReplacement, seenOf } from './replacement.ts'
import { addFile } from './upload-copy.ts'
import { retryUpload } from './upload-jobs.ts'
import { runUpload } from './upload-run.ts'

let databases = 0
const shown = aTeaching({ rev: 5, title: 'Hoep', speaker: 'Jane', description: 'Of hope.' })
const copying = {
  hold: <T>(_: string, work: () => Promise<T>) => work(),
  yieldToMain: () => Promise.resolve(),
}
const rejected = { state: 'rejected', lastError: { code: 'revision_conflict' } }

/** A recording whose bytes have arrived, for the shown teaching, which has become another one on the server meanwhile. */
async function setting(edited: TeachingPatch, meanwhile: Partial<Teaching>, { keepsSeen = true } = {}) {
  const db = new UploadDatabase(`replacement-${(databases += 1)}`)
  const server = { teaching: { ...shown, rev: 6, ...meanwhile } }
  const asked: number[] = []
  const answer = (input: string, init: RequestInit) => {
    if (input.endsWith('/api/csrf-token')) return Response.json({ csrfToken: 'token' })
    if (init.method === 'HEAD') return new Response(null, { headers: { 'upload-offset': '10' } })
    const body = JSON.parse(init.body as string) as TeachingPatch & { baseRev: number }
    const { baseRev } = body
    asked.push(baseRev)
    const { teaching } = server
    if (baseRev !== teaching.rev)
      return Response.json(
        { success: false, code: 'revision_conflict', error: 'Changed by someone else.', current: teaching },
        { status: 409 },
      )
    server.teaching = {
      ...teaching,
      ...storedWords(wordsIn(body)),
      audioUrl: `/audio/${'ab'.repeat(32)}.mp3`,
      rev: teaching.rev + 1,
    }
    return Response.json({ success: true, teaching: server.teaching })
  }
  const transport = {
    base: 'http://server.test',
    fetch: ((input: string, init: RequestInit) => Promise.resolve(answer(input, init))) as typeof fetch,
  }
  const id = (await addFile(
    db,
    new File([new Uint8Array(10)], 'a.mp3'),
    {
      fields: editOf(textOf(shown), { ...textOf(shown), ...edited }),
      ownerUserId: 7,
      replace: { teachingId: shown.id, baseRev: shown.rev, uid: shown.uid },
      ...(keepsSeen && { seen: seenOf(shown) }),
      now: 1,
    },
    copying,
  ))!
  await db.jobs.update(id, { phase: 'arrived', asked: true, acknowledged: 10 })
  const run = () =>
    runUpload(
      db,
      id,
      transport,
      {
        now: () => 1,
        random: () => 1,
        rate: requestRate(() => 1),
        userId: () => 7,
        onEvent: () => undefined,
      },
      new AbortController().signal,
    )
  const job = async () => (await db.jobs.get(id))!
  /** The button of a job that waits for a person. */
  const replaceAnyway = async () => {
    const waiting = await job()
    await retryUpload(db, id, rebaseReplacement(waiting, waiting.lastError!.current!), 2)
    await run()
  }
  return { run, job, replaceAnyway, server, asked }
}

test('a second replacement of the recording needs a person', async () => {
  const { run, job, server } = await setting({}, { audioUrl: `/audio/${'cd'.repeat(32)}.mp3` })
  await run()
  expect(await job()).toMatchObject(rejected)
  expect(server.teaching.rev).toBe(6)
})

test('a word changed by both needs a person', async () => {
  const { run, job, replaceAnyway, server } = await setting(
    { title: 'Hope' },
    { title: 'Hope in Christ', speaker: 'Jane Doe' },
  )
  await run()
  expect(await job()).toMatchObject(rejected)
  await replaceAnyway()
  expect(await job()).toMatchObject({ state: 'done' })
  expect(server.teaching).toMatchObject({ title: 'Hope', speaker: 'Jane Doe', description: 'Of hope.' })
})

test('a job without its base needs a person', async () => {
  const { run, job, replaceAnyway, server } = await setting({}, { title: 'Hope' }, { keepsSeen: false })
  await run()
  expect(await job()).toMatchObject(rejected)
  await replaceAnyway()
  expect(server.teaching.title).toBe('Hoep')
})

test('ignores the conflict of another teaching', async () => {
  const { run, job, asked } = await setting({}, { uid: 'a3c1f0e2-2b7a-4c58-a1de-2f5f0c9b7e77' })
  await run()
  expect(await job()).toMatchObject(rejected)
  expect(asked).toEqual([5])
})

test('keeps words corrected during the upload', async () => {
  const { run, job, server, asked } = await setting(
    { description: 'Of hope in Christ.' },
    { title: 'Hope', speaker: 'Jane Doe' },
  )
  await run()
  expect(await job()).toMatchObject({ state: 'done' })
  expect(server.teaching).toMatchObject({
    title: 'Hope',
    speaker: 'Jane Doe',
    description: 'Of hope in Christ.',
  })
  expect(asked).toEqual([5, 6])
})
