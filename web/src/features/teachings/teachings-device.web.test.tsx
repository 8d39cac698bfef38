import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { acknowledge, appendDelete, appendEdit } from '@fellowship/sync/client/outbox/outbox'
import { expect, onTestFinished, test, vi } from 'vitest'
import { emptyOutboxView, type OutboxView } from './library.ts'
import { watchLibrary, watchOutboxView } from './teachings.device.ts'

const author = { userId: 7, now: 0 }
const uidOf = (n: number) => `0190a000-0000-7000-8000-${String(n).padStart(12, '0')}`

/** A device whose library is slow to read, and the rendered titles of one teaching over time. */
async function device(changed: Teaching) {
  const db = appDatabase()
  const others = Array.from({ length: 3_000 }, (_, n) => aTeaching({ id: n + 10, uid: uidOf(n + 10) }))
  await db.teachings.bulkPut([changed, ...others])
  const shown: (string | undefined)[] = []
  let rows: readonly Teaching[] = []
  let outbox: OutboxView = emptyOutboxView
  const note = () => {
    if (rows.length === 0) return
    const title = outbox.apply(rows).find(({ uid }) => uid === changed.uid)?.title
    if (shown.length === 0 || shown.at(-1) !== title) shown.push(title)
  }
  const stops = [
    watchLibrary((library) => {
      if (library.status === 'ready') rows = library.rows
      note()
    }),
    watchOutboxView(author.userId, (view) => {
      outbox = view
      note()
    }),
  ]
  onTestFinished(async () => {
    for (const stop of stops) stop()
    await Promise.all([db.teachings.clear(), db.outbox.clear()])
  })
  await expect.poll(() => shown).toEqual([changed.title])
  const settled = () => expect.poll(() => rows.find(({ uid }) => uid === changed.uid)?.title)
  return { db, shown, settled }
}

test('an acknowledged deletion does not reappear during a reload', async () => {
  const gone = aTeaching({ id: 1, uid: uidOf(1), title: 'Gone' })
  const { db, shown, settled } = await device(gone)
  const entry = await appendDelete(db, gone, author)
  await expect.poll(() => shown).toEqual(['Gone', undefined])
  await acknowledge(db, entry, { op: 'delete', rev: gone.rev + 1 })
  await settled().toBeUndefined()
  expect(shown).toEqual(['Gone', undefined])
})

test('an acknowledged edit does not revert during a reload', async () => {
  const first = aTeaching({ id: 1, uid: uidOf(1), title: 'First' })
  const { db, shown, settled } = await device(first)
  const edited = { ...first, ...textOf(first), title: 'Second' }
  const entry = (await appendEdit(db, first, edited, author))!
  await expect.poll(() => shown).toEqual(['First', 'Second'])
  await appendEdit(db, { ...first, title: edited.title }, { ...edited, speaker: 'Another' }, author)
  await acknowledge(db, entry, { op: 'edit', row: { ...first, title: 'Second', rev: first.rev + 1 } })
  await settled().toBe('Second')
  expect(shown).toEqual(['First', 'Second'])
})

test("hides one person's change from the next signed-in person", async () => {
  const gone = aTeaching({ id: 1, uid: uidOf(1), title: 'Gone' })
  const { db } = await device(gone)
  const entry = await appendDelete(db, gone, author)
  const shown: string[][] = []
  const stop = watchOutboxView(author.userId, ({ byUid }) => shown.push([...byUid.keys()]))
  await expect.poll(() => shown).toEqual([[gone.uid]])
  // Delays the read of the acknowledged row.
  let isRead = () => undefined as void
  const reading = vi.spyOn(db.teachings, 'bulkGet')
  onTestFinished(() => reading.mockRestore())
  reading.mockReturnValue(new Promise<void>((resolve) => (isRead = resolve)).then(() => [undefined]) as never)
  await acknowledge(db, entry, { op: 'delete', rev: gone.rev + 1 })
  await expect.poll(() => reading.mock.calls.length).toBe(2)
  stop()
  isRead()
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(shown).toEqual([[gone.uid]])
})

test('shows an edit after the outbox was unreadable', async () => {
  const db = appDatabase()
  const row = aTeaching({ id: 1, uid: uidOf(1), title: 'First' })
  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  vi.spyOn(db.outbox, 'filter').mockImplementationOnce(() => {
    throw lost
  })
  const shown: string[] = []
  const stop = watchOutboxView(author.userId, ({ apply }) => shown.push(apply([row])[0]!.title))
  onTestFinished(async () => {
    stop()
    await db.outbox.clear()
  })
  await appendEdit(db, row, { ...textOf(row), title: 'Second' }, author)
  await expect.poll(() => shown).toEqual(['Second'])
})
