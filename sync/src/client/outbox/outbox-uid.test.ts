import 'fake-indexeddb/auto'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { expect, test } from 'vitest'
import { AppDatabase } from '../database/app-database.ts'
import { requestRate } from '../engine/rate.ts'
import { drain } from './outbox-drain.ts'
import { appendDelete, appendEdit } from './outbox.ts'

// After a restore another teaching may have the number of one that a change was made for.

const mine = aTeaching({ rev: 5 })
const another = aTeaching({ uid: '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e02', rev: 900, title: 'Another' })
const author = { userId: 7, now: 0 }

/** A device with one change of a teaching, and a server that answers it. */
async function sentTo(op: 'edit' | 'delete', answer: Response) {
  const db = new AppDatabase(`uid-${Math.random()}`)
  await db.teachings.put(mine)
  await (op === 'edit'
    ? appendEdit(db, mine, { ...textOf(mine), title: 'Mine' }, author)
    : appendDelete(db, mine, author))
  const addresses: URL[] = []
  const transport = {
    base: 'http://server.test',
    fetch: (async (input: string) => {
      const address = new URL(input)
      if (address.pathname === '/api/csrf-token') return Response.json({ csrfToken: 'token' })
      addresses.push(address)
      return answer
    }) as typeof fetch,
  }
  const options = { now: () => 1_000, random: () => 1, userId: () => 7, rate: requestRate(() => 1_000) }
  await drain(db, transport, options)
  return { db, addresses }
}

test('a deletion names its teaching by uid', async () => {
  const { addresses } = await sentTo('delete', Response.json({ success: true, rev: 6 }))
  expect(addresses.map(({ searchParams }) => searchParams.get('uid'))).toEqual([mine.uid])
})

test('reports an answer about another teaching', async () => {
  const { db } = await sentTo('edit', Response.json({ ...another, title: 'Mine' }))
  expect(await db.outbox.toArray()).toMatchObject([
    { uid: mine.uid, patch: { title: 'Mine' }, state: 'rejected', lastError: { code: 'not_found' } },
  ])
  expect(await db.teachings.toArray()).toEqual([mine])
})
