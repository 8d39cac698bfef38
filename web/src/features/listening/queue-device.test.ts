import 'fake-indexeddb/auto'
import { upNextTexts } from '@fellowship/schema/listening/listening.texts'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { beforeEach, expect, test, vi } from 'vitest'
import { toastStore } from '../../ui/toast.ts'
import { addToUpNext, gaveWay, goBack, playThese, removeFromUpNext, watchUpNext } from './queue.device.ts'

const uids = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `uid-${from + n}`)

beforeEach(async () => {
  const { upNext, meta, teachings } = appDatabase()
  await Promise.all([upNext.clear(), meta.clear(), teachings.bulkPut([teaching, other])])
  toastStore.set(null)
})
const teaching = aTeaching({ id: 1, uid: 'a', title: 'Hope' })
const other = aTeaching({ id: 2, uid: 'b', title: 'Grace' })
const listed = async () => (await readUpNext()).teachings.map(({ uid }) => uid)
const said = () => toastStore.snapshot()
const cannotWrite = () =>
  vi
    .spyOn(appDatabase(), 'transaction')
    .mockRejectedValueOnce(new DOMException('', 'QuotaExceededError') as never)

test('shows no toast if all teachings fit', async () => {
  await playThese(uids(3))
  expect(await appDatabase().upNext.count()).toBe(3)
  expect(toastStore.snapshot()).toBeNull()
})

test('shows how many teachings did not fit', async () => {
  await playThese(uids(499))
  await playThese(uids(3, 499))
  expect(await appDatabase().upNext.count()).toBe(500)
  expect(toastStore.snapshot()).toMatchObject({ ...upNextTexts.leftOut(2), kind: 'destructive' })
})

test('adds a teaching once, at either end', async () => {
  await addToUpNext(teaching, 'addToEnd')
  expect(said()).toMatchObject({ title: upNextTexts.addToEnd, description: 'Hope' })
  await addToUpNext(other, 'playNext')
  expect(said()).toMatchObject({ title: upNextTexts.playNext, description: 'Grace' })
  expect(await listed()).toEqual(['b', 'a'])
  await addToUpNext(teaching, 'addToEnd')
  expect(said()).toMatchObject({ title: upNextTexts.isThere, description: 'Hope' })
})

test('adds nothing to a full list', async () => {
  await playThese(uids(500))
  await addToUpNext(teaching, 'addToEnd')
  expect(said()).toMatchObject({ ...upNextTexts.full, kind: 'destructive' })
})

test('an undone removal restores the order', async () => {
  await playThese(['a', 'b'])
  await removeFromUpNext(['a'], 'Removed')
  expect(await listed()).toEqual(['b'])
  expect(said()?.title).toBe('Removed')
  said()!.action!.onPress()
  await expect.poll(listed).toEqual(['a', 'b'])
})

test('removing what is not listed says nothing', async () => {
  await removeFromUpNext(['a'], 'Removed')
  expect(said()).toBeNull()
})

test.each([
  ['adding', () => addToUpNext(teaching, 'addToEnd')],
  ['playing', () => playThese(['a'])],
  ['removing', () => removeFromUpNext(['a'], 'Removed')],
])('%s says if the device could not write it', async (_, act) => {
  await playThese(['b'])
  cannotWrite()
  await act()
  expect(said()).toMatchObject({ ...upNextTexts.notKept, kind: 'destructive' })
  expect(await listed()).toEqual(['b'])
})

test('going back lists the present teaching, unless it has ended', async () => {
  const before = async () => (await readUpNext()).playedBefore.map(({ uid }) => uid)
  await gaveWay('a')
  expect(await before()).toEqual(['a'])
  await goBack('a', undefined)
  expect([await before(), await listed()]).toEqual([[], []])
  await gaveWay('a')
  await goBack('a', 'b')
  expect([await before(), await listed()]).toEqual([[], ['b']])
})

test('reports the list first, then its changes', async () => {
  await playThese(['a'])
  const seen: string[][] = []
  await watchUpNext((upNext) => void seen.push(upNext.teachings.map(({ uid }) => uid)))
  expect(seen).toEqual([['a']])
  await addToUpNext(other, 'addToEnd')
  await expect.poll(() => seen.at(-1)).toEqual(['a', 'b'])
})
