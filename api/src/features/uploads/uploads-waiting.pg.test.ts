import { expect, test } from 'vitest'
import { problems } from '@fellowship/schema/problem'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { fixture, storedFiles } from '../../testing/multipart.ts'
import { refusal } from '../../testing/test-client.ts'
import { testApp } from '../../testing/test-app.ts'
import { tusClient } from '../../testing/tus.ts'

const app = await testApp()
const { sql } = app.context
const person = await app.signedIn()
const admin = await app.signedIn('admin')
const tus = tusClient(person, (await call(auth.csrfToken, {}, person)).csrfToken)
const mp3 = await fixture('cbr.mp3')
const wav = await fixture('speech.wav')
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22' }
const list = () => call(teachings.list, {}, app.client())

const send = (bytes: Buffer, title: string) =>
  call(
    uploads.smartUpload,
    { body: { ...fields, title }, files: { audioFile: new File([new Uint8Array(bytes)], 'a.wav') } },
    person,
  )
async function arrived(bytes: Buffer): Promise<string> {
  const id = uuidv7(Date.now())
  expect((await tus.create(bytes.length, { jobId: id, filename: 'a.mp3' })).status).toBe(201)
  expect((await tus.patch(id, 0, bytes)).status).toBe(204)
  return id
}

test('a long wait for another writer asks for a retry', async () => {
  const { teaching } = await send(Buffer.concat([wav, Buffer.alloc(2)]), 'Faith')
  const id = await arrived(mp3)
  const finalize = () => call(uploads.finalize, { params: { id }, body: fields }, person)
  const asked = await holdingWriters(() =>
    Promise.all([
      refusal(finalize()),
      refusal(send(wav, 'Love')),
      refusal(
        call(
          teachings.update,
          { params: { id: teaching.id }, body: { ...fields, title: 'Faithful' } },
          admin,
        ),
      ),
      refusal(call(teachings.remove, { params: { id: teaching.id } }, admin)),
    ]),
  )
  for (const { status, body } of asked) {
    expect(status).toBe(503)
    expect(body).toMatchObject({
      code: 'unavailable',
      error: problems.unavailable.sentence,
      retryAfter: expect.any(Number) as number,
    })
  }
  // The transaction was rolled back, and the file of the form removed.
  expect((await list()).map(({ title }) => title)).toEqual(['Faith'])
  expect((await storedFiles(app.dataDir)).audio).toHaveLength(1)

  await finalize()
  expect((await list()).map(({ title }) => title).toSorted()).toEqual(['Faith', 'Hope'])
  expect((await storedFiles(app.dataDir)).audio).toHaveLength(2)
})

/** Holds the lock of all writers of teachings in another transaction. */
async function holdingWriters<T>(work: () => Promise<T>): Promise<T> {
  return (await sql.begin(async (tx) => {
    await tx`set local idle_in_transaction_session_timeout = 0`
    await tx`select 1 from sync_clock for update`
    return work()
  })) as T
}
