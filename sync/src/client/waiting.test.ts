import 'fake-indexeddb/auto'
import { seriesTextOf, emptySeries } from '@fellowship/schema/series/series-words'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { expect, test } from 'vitest'
import { AppDatabase } from './database/app-database.ts'
import { UploadDatabase, type UploadJob } from './database/upload-database.ts'
import { writeAccount, writeOwner } from './listening/listening-accounts.ts'
import { appendDelete, appendEdit } from './outbox/outbox.ts'
import { appendNewSeries } from './outbox/series-entries.ts'
import { addFile } from './uploads/upload-copy.ts'
import { countWaiting } from './device-queues.ts'

type Device = { app: AppDatabase; uploads: UploadDatabase }
const author = { userId: 7, now: 0 }
const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
const copying = {
  hold: <T>(_: string, work: () => Promise<T>) => work(),
  yieldToMain: () => Promise.resolve(),
}

const upload =
  (changes: Partial<UploadJob>) =>
  async ({ uploads }: Device) => {
    const file = new File([new Uint8Array(10)], 'a.mp3')
    const id = (await addFile(uploads, file, { fields, ownerUserId: 7, now: 0 }, copying))!
    await uploads.jobs.update(id, changes)
  }

const listening =
  ({ on = true, owner = 7, refused }: { on?: boolean; owner?: number; refused?: string } = {}) =>
  async ({ app }: Device) => {
    await app.transaction('rw', app.meta, async () => {
      await writeOwner(app, owner)
      await writeAccount(app, 7, { session: 's', on, held: 0, askAt: 0, attempts: 0, nextAttemptAt: 0 })
    })
    await app.unsentListening.put({
      kind: 'position',
      key: 'a',
      own: [],
      nonce: 'n',
      ...(refused && { refused }),
    })
  }

const edit = ({ app }: Device) =>
  appendEdit(app, aTeaching(), { ...textOf(aTeaching()), title: 'Else' }, author)

test.each<[string, (device: Device) => Promise<unknown>, number]>([
  ['nothing', () => Promise.resolve(), 0],
  ['an edit', edit, 1],
  ['a deletion', ({ app }) => appendDelete(app, aTeaching(), author), 1],
  [
    'an edit that needs a person',
    (device) => edit(device).then(() => device.app.outbox.toCollection().modify({ state: 'conflict' })),
    1,
  ],
  [
    'a new series',
    ({ app }) => appendNewSeries(app, { ...seriesTextOf(emptySeries), title: 'Romans' }, author),
    1,
  ],
  ['an edit of somebody else', ({ app }) => appendDelete(app, aTeaching(), { userId: 8, now: 0 }), 0],
  ['a recording', upload({}), 1],
  ['a recording that is paused', upload({ paused: true }), 1],
  ['a recording that was refused', upload({ state: 'rejected' }), 1],
  ['a recording in the library', upload({ state: 'done' }), 0],
  ['a recording that was cancelled', upload({ state: 'cancelled' }), 0],
  ['a recording of somebody else', upload({ ownerUserId: 8 }), 0],
  ['a place', listening(), 1],
  ['a place that is not kept with the account', listening({ on: false }), 0],
  ['a place of somebody else', listening({ owner: 8 }), 0],
  ['a place that no server takes', listening({ refused: 'No.' }), 0],
  ['one of each', (device) => Promise.all([edit(device), upload({})(device), listening()(device)]), 3],
])('%s', async (_, given, count) => {
  const device = {
    app: new AppDatabase(`waiting-${Math.random()}`),
    uploads: new UploadDatabase(`waiting-uploads-${Math.random()}`),
  }
  await given(device)
  expect(await countWaiting(device.app, device.uploads, 7)).toBe(count)
})
