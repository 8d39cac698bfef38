import { afterEach, beforeEach, expect, test } from 'vitest'
import { installTabGlobals, TabLocks } from '../../testing/tab-globals.ts'
import { reportStall, sharedLine, takeForPlayer, type Turn } from './audio-line.ts'

let restore: () => void
beforeEach(() => (restore = installTabGlobals(new TabLocks())))
afterEach(() => restore())

const key = 'a'
const never = new AbortController().signal

/** A download that ends when it is told to, or at the end of its chunk. */
function download(chunk: { key: string; index: number }) {
  let endChunk = () => {}
  let seen: Turn | undefined
  const begun = new Promise<void>((resolve) => {
    void sharedLine().take(async (turn) => {
      seen = turn
      turn.begin(chunk)
      resolve()
      await new Promise<void>((end) => {
        endChunk = end
        turn.signal.addEventListener('abort', () => end())
      })
    })
  })
  return { begun, endChunk: () => endChunk(), turn: () => seen! }
}

test('the player takes the network from a download', async () => {
  const other = download({ key, index: 5 })
  await other.begun
  const release = await takeForPlayer({ key, index: 0 }, never)
  expect(other.turn().signal.aborted).toBe(true)
  const next = download({ key, index: 5 })
  let hasBegun = false
  void next.begun.then(() => (hasBegun = true))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(hasBegun).toBe(false)
  release()
  await next.begun
  next.endChunk()
})

test('the player waits for the very chunk that is coming', async () => {
  const same = download({ key, index: 3 })
  await same.begun
  let release: (() => void) | undefined
  const taken = takeForPlayer({ key, index: 3 }, never).then((given) => (release = given))
  // Longer than the patience with a download that does not answer.
  await new Promise((resolve) => setTimeout(resolve, 1_200))
  expect([release, same.turn().signal.aborted, same.turn().isOver()]).toEqual([undefined, false, true])
  same.endChunk()
  await taken
  release!()
})

test('a stall ends the wait', async () => {
  const same = download({ key, index: 3 })
  await same.begun
  const taken = takeForPlayer({ key, index: 3 }, never)
  await new Promise((resolve) => setTimeout(resolve, 20))
  reportStall()
  const release = await taken
  expect(same.turn().signal.aborted).toBe(true)
  release()
})

test('a frozen download delays the player by a second', async () => {
  let endFrozen = () => {}
  void navigator.locks.request('audio-line', () => new Promise<void>((resolve) => (endFrozen = resolve)))
  const release = await takeForPlayer({ key, index: 0 }, never)
  release()
  endFrozen()
})

test('a cancelled player gives up its place', async () => {
  const other = download({ key, index: 5 })
  await other.begun
  const cancel = new AbortController()
  const same = takeForPlayer({ key, index: 5 }, cancel.signal)
  cancel.abort()
  await expect(same).rejects.toThrow('Cancelled')
  other.endChunk()
})
