import 'fake-indexeddb/auto'
import { Dexie } from 'dexie'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { maxUploadBytes } from '@fellowship/schema/uploads/uploads.limits'
import { uploadDatabase } from '../database/upload-database.ts'
import { addFile } from './upload-copy.ts'
import { confirmUpload, isUnderWay, readUploads, unblockUploads } from './upload-jobs.ts'
import { answerShare, takeShared } from './upload-shared.ts'

const db = uploadDatabase()
beforeEach(async () => {
  await db.jobs.clear()
  await db.chunks.clear()
})

const deps = {
  hold: <T>(_: string, work: () => Promise<T>) => work(),
  yieldToMain: () => Promise.resolve(),
}
const file = (name: string, type = 'audio/mpeg', content = 'sound') => new File([content], name, { type })
const largeFile = () => new File([new Uint8Array(maxUploadBytes + 1)], 'large.mp3', { type: 'audio/mpeg' })
const right = '2026-11-22_John-Smith"Hope".mp3'

/** Posts files as the system does; returns the address of the redirect. */
const share = (...files: File[]) => shareAs(undefined, ...files)
async function shareAs(owner: number | undefined, ...files: File[]): Promise<string | null> {
  const body = new FormData()
  for (const each of files) body.append('audioFile', each)
  const request = new Request('http://church.test/share', { method: 'POST', body })
  const { status, headers } = await answerShare(db, request, async () => owner, deps)
  expect(status).toBe(303)
  return new URL(headers.get('location')!).search
}

describe('not queued', () => {
  test.each([
    ['nothing', [], 'no-audio'],
    ['what is no recording', [file('notes.pdf', 'application/pdf')], 'no-audio'],
    ['what is empty', [file(right, 'audio/mpeg', '')], 'no-audio'],
  ])('%s', async (_, files, why) => {
    expect(await share(...files)).toBe(`?focus=upload&shared=${why}`)
    expect(await db.jobs.count()).toBe(0)
  })

  test('limits unconfirmed files to twenty', async () => {
    const many = Array.from({ length: 15 }, (_, n) => file(`${n}.mp3`))
    await share(...many)
    await share(...many)
    expect(await db.jobs.count()).toBe(20)
  })
})

test('a shared file is queued unconfirmed', async () => {
  expect(await share(file(right), file('Recording 12.m4a', ''))).toBe('?focus=upload')
  const [job, other] = (await db.jobs.toArray()).sort((a, b) => a.createdAt - b.createdAt)
  expect(job).toMatchObject({
    state: 'queued',
    ownerUserId: null,
    unconfirmed: true,
    fields: { title: 'Hope', speaker: 'John Smith', date: '2026-11-22' },
  })
  await unblockUploads(db, 7, 1)
  expect(isUnderWay((await db.jobs.get(job!.id))!)).toBe(false)
  await confirmUpload(db, job!.id, { ...job!.fields, speaker: 'Jane Doe' }, 7, 2)
  const confirmed = (await db.jobs.get(job!.id))!
  expect(confirmed).toMatchObject({ ownerUserId: 7, fields: { speaker: 'Jane Doe' } })
  expect([isUnderWay(confirmed), 'unconfirmed' in confirmed]).toEqual([true, false])
  expect(isUnderWay((await db.jobs.get(other!.id))!)).toBe(false)
})

test('a shared file belongs to the signed-in user alone', async () => {
  await shareAs(7, file(right))
  await unblockUploads(db, 8, 1)
  expect(await readUploads(db, 8)).toEqual([])
  expect(await readUploads(db, 7)).toMatchObject([{ ownerUserId: 7, unconfirmed: true }])
})

test('a file is taken if the user cannot be read', async () => {
  const body = new FormData()
  body.append('audioFile', file(right))
  const request = new Request('http://church.test/share', { method: 'POST', body })
  await answerShare(db, request, () => Promise.reject(new Error('no database')), deps)
  expect(await db.jobs.toArray()).toMatchObject([{ ownerUserId: null, unconfirmed: true }])
})

test('files shared at once stay in their order', async () => {
  const names = Array.from({ length: 12 }, (_, n) => `Recording ${n}.mp3`)
  // All within a millisecond.
  const clock = vi.spyOn(Date, 'now').mockReturnValue(5_000)
  await share(...names.map((name) => file(name))).finally(() => clock.mockRestore())
  const jobs = (await db.jobs.toArray()).sort((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1))
  expect(jobs.map(({ filename }) => filename)).toEqual(names)
})

test('an unconfirmed job is not sent when another is confirmed', async () => {
  const fields = { title: '', speaker: '', date: '', scriptureReference: '' }
  const id = await addFile(db, file(right), { fields, ownerUserId: null, unconfirmed: true, now: 1 }, deps)
  await confirmUpload(db, 'another', fields, 7, 2)
  expect(await db.jobs.get(id!)).toMatchObject({ unconfirmed: true, paused: true })
})

test.each([
  ['is too large', largeFile(), 'too-large'],
  ['is no recording', file('notes.pdf', 'application/pdf'), 'no-audio'],
])('reports the file beside others that %s, and queues these', async (_, other, why) => {
  expect(await share(file(right), other)).toBe(`?focus=upload&shared=${why}`)
  expect((await db.jobs.toArray()).map(({ filename }) => filename)).toEqual([right])
})

test('reports a file that exceeds the limit', async () => {
  await share(...Array.from({ length: 20 }, (_, n) => file(`${n}.mp3`)))
  expect(await share(file(right))).toBe('?focus=upload&shared=too-many')
  expect(await share(file('1.pdf', 'application/pdf'), file(right))).toBe('?focus=upload&shared=too-many')
})

test('takes a file of exactly the largest size', async () => {
  const largest = Object.defineProperty(file(right), 'size', { value: maxUploadBytes })
  const taken: File[] = []
  expect(await takeShared(db, [largest], 7, async (each) => taken.push(each))).toBeUndefined()
  expect(taken).toEqual([largest])
})

test('reports a file if no database can be opened', async () => {
  const blocked = () => Dexie.Promise.reject(new DOMException('denied', 'SecurityError'))
  vi.spyOn(db, 'open').mockImplementationOnce(blocked as never)
  expect(await share(file(right))).toBe('?focus=upload&shared=not-kept')
  expect(await db.jobs.count()).toBe(0)
})

test('reports a file that a full device cannot queue', async () => {
  const full = () => Dexie.Promise.reject(new DOMException('full', 'QuotaExceededError'))
  vi.spyOn(db.jobs, 'add').mockImplementationOnce(full as never)
  expect(await share(file(right))).toBe('?focus=upload&shared=no-room')
  expect(await db.jobs.count()).toBe(0)
})
