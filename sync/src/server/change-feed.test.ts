import type { Change } from '@fellowship/schema/sync/sync.schema'
import { describe, expect, test, vi } from 'vitest'
import { encodeCursor, type Cursor } from '../protocol/cursor.ts'
import { canContinue, readPage, type FeedView } from './change-feed.ts'

const epoch = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const clock = { epoch, rev: 20, floor: 10 }

test.each<[string, Cursor | undefined, boolean]>([
  ['no cursor', undefined, false],
  ['one of another epoch', { epoch: 'before', rev: 15 }, false],
  ['one before purged tombstones', { epoch, rev: 9 }, false],
  ['one ahead of the server, as after a disk was put back', { epoch, rev: 21 }, false],
  ['one at the last purged tombstone', { epoch, rev: 10 }, true],
  ['one between', { epoch, rev: 15 }, true],
  ['one that is up to date', { epoch, rev: 20 }, true],
])('%s: whether a delta continues from it', (_, cursor, continues) => {
  expect(canContinue(cursor, clock)).toBe(continues)
})

describe('pages of changes', () => {
  const rows = Array.from({ length: 10 }, (_, at) => ({ uid: `t-${at}`, rev: at + 11 }))
  const changesAfter = vi.fn((rev: number, limit: number) =>
    Promise.resolve(
      rows
        .filter((row) => row.rev > rev)
        .slice(0, limit)
        .map((row): Change => ({ kind: 'teaching', op: 'put', row, ...row })),
    ),
  )
  const view: FeedView = {
    clock: async () => clock,
    changesAfter,
    allRows: async () => ({ teaching: rows }) as never,
    site: async () => ({ rev: 15 }) as never,
  }
  const read = async (since: number | undefined, limit?: number, given: Partial<FeedView> = {}) => {
    changesAfter.mockClear()
    const cursor = since === undefined ? undefined : encodeCursor({ epoch, rev: since })
    const port = { consistently: <T>(of: (view: FeedView) => Promise<T>) => of({ ...view, ...given }) }
    return readPage(port, { since: cursor, limit }, new Date(0))
  }

  test.each([
    ['full, with more behind it', 10, 9, { more: true, rev: 19, site: false }],
    ['full, at the head', 10, 10, { more: false, rev: 20, site: true }],
    ['short', 14, 10, { more: false, rev: 20, site: true }],
    ['after the last change of the site', 15, 10, { more: false, rev: 20, site: false }],
    ['empty', 20, 10, { more: false, rev: 20, site: false }],
  ])('a page that is %s', async (_, since, limit, { more, rev, site }) => {
    const page = await read(since, limit)
    expect(page).toMatchObject({ mode: 'delta', more, next: encodeCursor({ epoch, rev }) })
    expect([page.site !== undefined, page.digest?.count]).toEqual([site, more ? undefined : 10])
    expect(changesAfter).toHaveBeenCalledTimes(since === 20 ? 0 : 1)
  })

  test('a short page reaches the head, whatever changed after its rows', async () => {
    const page = await read(10, 11, { clock: async () => ({ ...clock, rev: 25 }) })
    expect(page).toMatchObject({ more: false, next: encodeCursor({ epoch, rev: 25 }) })
  })

  test('no cursor gives a snapshot with the site and its own digest', async () => {
    const page = await read(undefined, 10, { digests: () => Promise.reject(new Error('not asked')) })
    expect(page).toMatchObject({ mode: 'snapshot', more: false, site: { rev: 15 }, digest: { count: 10 } })
  })

  test('a page has the digest that the port knows', async () => {
    const known = { digest: { count: 3, sha256: 'known' }, digests: {} }
    expect(await read(20, 10, { digests: async () => known })).toMatchObject(known)
  })
})
