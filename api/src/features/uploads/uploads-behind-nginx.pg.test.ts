import 'fake-indexeddb/auto'
import { expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call, type Transport } from '@fellowship/sync/call/call'
import { UploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { requestRate } from '@fellowship/sync/client/engine/rate'
import { addFile } from '@fellowship/sync/client/uploads/upload-copy'
import { runUpload } from '@fellowship/sync/client/uploads/upload-run'
import { requestSize } from '@fellowship/sync/protocol/upload-pace'
import { longWav } from '../../testing/long-wav.ts'
import { isNginxMissing, stockNginx } from '../../testing/stock-nginx.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()

test.skipIf(isNginxMissing())('a recording of 12 MB passes a default nginx', async () => {
  const person = await app.signedIn()
  const userId = (await call(auth.currentUser, {}, person)).user!.id
  const base = await stockNginx(app.url)
  const answers: { bytes: number; status: number; server: string | null }[] = []
  const transport: Transport = {
    base,
    async fetch(input, init) {
      const answer = await person.fetch(input, init)
      if (init?.method === 'PATCH') {
        const { length: bytes } = init.body as Uint8Array
        answers.push({ bytes, status: answer.status, server: answer.headers.get('server') })
      }
      return answer
    },
  }
  const db = new UploadDatabase('behind-nginx')
  const copying = {
    hold: <T>(_id: string, work: () => Promise<T>) => work(),
    yieldToMain: async () => undefined,
  }
  const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: 'Romans 8' }
  const file = new File(
    [...longWav(12e6)].map((part) => new Uint8Array(part)),
    'a.wav',
  )
  const id = (await addFile(db, file, { fields, ownerUserId: userId, now: 1 }, copying))!
  const options = {
    now: () => Date.now(),
    random: () => 0,
    rate: requestRate(() => Date.now()),
    size: requestSize(),
    onEvent: () => undefined,
    userId: () => userId,
  }
  await runUpload(db, id, transport, options, new AbortController().signal)
  expect(await db.jobs.get(id)).toMatchObject({ state: 'done', attempts: 0 })
  expect(answers.some(({ status, server }) => status === 413 && server?.startsWith('nginx'))).toBe(true)
  // When the client has learned that, no further request is refused; nginx takes a whole MiB by default.
  const last = answers.findLastIndex(({ status }) => status === 413)
  const later = answers.slice(last + 1)
  expect(later.every(({ status, bytes }) => status === 204 && bytes <= 1024 * 1024)).toBe(true)
  expect((await call(teachings.list, {}, person)).map(({ title }) => title)).toEqual(['Hope'])
})
