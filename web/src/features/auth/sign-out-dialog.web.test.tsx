import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { appendEdit } from '@fellowship/sync/client/outbox/outbox'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { testServer } from '../../testing/test-server.ts'
import { SignOutDialog } from './sign-out-dialog.tsx'

const id = '0198c1de-0000-7000-8000-000000000001'
const begun = anUploadJob({ id, uploadId: id, state: 'uploading', phase: 'begun', asked: true })
const db = uploadDatabase
const change = (next: Partial<UploadJob>) => act(() => db().jobs.update(id, next))

beforeEach(async () => {
  await db().jobs.put(begun)
  await db().chunks.put({ jobId: id, index: 0, data: new ArrayBuffer(8) })
})

afterEach(async () => {
  deviceQueues().setUser(undefined)
  await db().jobs.clear()
  await db().chunks.clear()
})

function show() {
  const onSettled = vi.fn()
  const onClose = vi.fn()
  render(
    <SignOutDialog userId={7} work={{ changes: 0, uploads: 1 }} onClose={onClose} onSettled={onSettled} />,
  )
  return onSettled
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const progress = async () => (await screen.findByRole<HTMLProgressElement>('progressbar')).value

test('waits while bytes move, then signs out', async () => {
  await testServer({})
  const onSettled = show()
  await press('Send, then sign out')
  expect(await progress()).toBe(0)
  await change({ acknowledged: 20_000_000 })
  await screen.findByText('20 MB of 30 MB sent')
  expect(onSettled).not.toHaveBeenCalled()
  await change({ state: 'done' })
  await waitFor(() => expect(onSettled).toHaveBeenCalledOnce())
})

test('a failed attempt ends the wait with its sentence', async () => {
  await testServer({})
  const onSettled = show()
  await press('Send, then sign out')
  await progress()
  await change({ state: 'queued', attempts: 1, nextAttemptAt: Date.now() + 60_000 })
  await screen.findByText(/^Not everything could be sent\./)
  expect(onSettled).not.toHaveBeenCalled()
})

test('Stop waiting offers the choices again', async () => {
  await testServer({})
  const onSettled = show()
  await press('Send, then sign out')
  await progress()
  await press('Stop waiting')
  await screen.findByRole('button', { name: 'Stay signed in' })
  expect(screen.queryByRole('alert')).toBeNull()
  expect(onSettled).not.toHaveBeenCalled()
})

test('Keep leaves changes and uploads on the device', async () => {
  const { outbox } = appDatabase()
  await appendEdit(
    appDatabase(),
    aTeaching(),
    { ...textOf(aTeaching()), title: 'Mine' },
    { userId: 7, now: 0 },
  )
  const onSettled = show()
  await press('Keep on this device')
  await waitFor(() => expect(onSettled).toHaveBeenCalledOnce())
  expect(await outbox.toArray()).toMatchObject([{ ownerUserId: 7, patch: { title: 'Mine' } }])
  expect(await db().jobs.toArray()).toMatchObject([{ id }])
  await outbox.clear()
})

test('Discard deletes the bytes before the server knows', async () => {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  const received = await testServer({
    [`DELETE /api/uploads/${id}`]: async () => {
      await answered
      return { status: 204, body: '' }
    },
  })
  deviceQueues().setUser(7)
  const onSettled = show()
  await press('Discard 1 upload')
  await waitFor(() => expect(received.some(({ method }) => method === 'DELETE')).toBe(true))
  expect(await db().chunks.count()).toBe(0)
  expect(onSettled).not.toHaveBeenCalled()
  answer()
  await waitFor(() => expect(onSettled).toHaveBeenCalledOnce())
  expect(await db().jobs.count()).toBe(0)
})

test('Discard without a connection signs out', async () => {
  await testServer({ [`DELETE /api/uploads/${id}`]: () => ({ status: 503, body: 'Away' }) })
  deviceQueues().setUser(7)
  const onSettled = show()
  await press('Discard 1 upload')
  await waitFor(() => expect(onSettled).toHaveBeenCalledOnce())
  expect(await db().chunks.count()).toBe(0)
  expect(await db().jobs.toArray()).toMatchObject([{ id, state: 'cancelled' }])
})
