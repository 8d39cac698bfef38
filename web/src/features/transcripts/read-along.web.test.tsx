import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { vttOf, withTimes } from '@fellowship/schema/transcripts/vtt-file'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import { act, cleanup, fireEvent, render, screen } from '@testing-library/react'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ReadAlong, sentenceAt } from './read-along.tsx'
import { keepTexts, readText } from './kept-texts.ts'
import { SaidText } from './said-text.tsx'

const sentences: Sentence[] = ['Grace to you.', 'And peace.', 'Amen.'].map((text, at) => ({
  start: at * 2000 + 1000,
  end: at * 2000 + 2500,
  about: false,
  voice: at === 0 ? 'Ruth' : '',
  text,
}))
const file = (words = sentences) => vttOf(withTimes(words), '')
const teaching = { uid: '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01', transcriptRev: 7 }
const fetched = vi.fn<(address: string) => Promise<Response>>()

beforeEach(() => {
  vi.stubGlobal('fetch', fetched)
  vi.stubGlobal('caches', undefined)
  fetched.mockReset().mockImplementation(async () => new Response(file()))
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

function fakePlayer() {
  const listeners = new Set<() => void>()
  let position = 0
  return {
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    state: () => ({ position }),
    moveTo(seconds: number) {
      position = seconds
      for (const listener of listeners) listener()
    },
  }
}
const marked = () => document.querySelector('[aria-current]')?.textContent

test('no sentence is marked before the first one begins', () => {
  expect([sentenceAt([], 5), sentenceAt([-1, -1], 5), sentenceAt([1000, 3000], 999)]).toEqual([-1, -1, -1])
  expect([sentenceAt([1000, -1, 3000], 2999), sentenceAt([1000, -1, 3000], 3000)]).toEqual([0, 2])
})

test('the text follows the recording, and a press plays', async () => {
  const [player, onPlay] = [fakePlayer(), vi.fn()]
  render(<ReadAlong teaching={teaching} player={player} onPlay={onPlay} />)
  const peace = await screen.findByRole('button', { name: 'And peace.' })
  expect(marked()).toBeUndefined()
  act(() => player.moveTo(1.2))
  expect(marked()).toBe('Grace to you.')
  act(() => player.moveTo(3.2))
  expect(marked()).toBe('And peace.')
  fireEvent.click(peace)
  expect(onPlay).toHaveBeenCalledWith(3)
})

test('a text scrolled by hand offers to follow again', async () => {
  const player = fakePlayer()
  render(<ReadAlong teaching={teaching} player={player} onPlay={() => undefined} />)
  fireEvent.wheel(await screen.findByRole('region', { name: 'What is said' }))
  const scrolled = vi.spyOn(Element.prototype, 'scrollTo').mockImplementation(() => undefined)
  act(() => player.moveTo(3.2))
  expect(scrolled).not.toHaveBeenCalled()
  fireEvent.click(screen.getByRole('button', { name: 'Follow the recording' }))
  expect(scrolled).toHaveBeenCalledOnce()
})

test('a text that cannot be read is named', async () => {
  fetched.mockImplementation(async () => new Response('<!doctype html>'))
  render(<ReadAlong teaching={teaching} player={fakePlayer()} onPlay={() => undefined} />)
  expect(await screen.findByText(/back online/)).toBeDefined()
})

test('the page of a teaching shows its text as paragraphs', async () => {
  const onPlay = vi.fn()
  render(<SaidText teaching={teaching} first={undefined} onPlay={onPlay} />)
  fireEvent.click(await screen.findByRole('button', { name: 'Play from 0:03' }))
  expect(onPlay).toHaveBeenCalledWith(3)
  expect(screen.getByText('And peace. Amen.')).toBeDefined()
  cleanup()
  render(<SaidText teaching={{ ...teaching, transcriptRev: null }} first={undefined} onPlay={onPlay} />)
  expect(document.body.textContent).toBe('')
})

test('an older cached text serves offline', async () => {
  const entries = new Map<string, Response>()
  const bare = (address: string) => address.split('?')[0]
  const cache = {
    match: async (address: string, { ignoreSearch = false } = {}) =>
      [...entries]
        .find(([key]) => (ignoreSearch ? bare(key) === bare(address) : key === address))?.[1]
        .clone(),
    put: async (address: string, response: Response) => void entries.set(address, response),
    delete: async (address: string) =>
      [...entries.keys()].filter((key) => bare(key) === bare(address)).map((key) => entries.delete(key)),
  }
  vi.stubGlobal('caches', { open: async () => cache })
  expect(await readText(teaching)).toEqual(sentences)
  expect(await readText(teaching)).toEqual(sentences)
  expect(fetched).toHaveBeenCalledOnce()
  fetched.mockRejectedValue(new TypeError('offline'))
  expect(await readText({ ...teaching, transcriptRev: 8 })).toEqual(sentences)
  fetched.mockImplementation(async () => new Response(file(sentences.slice(1))))
  expect(await readText({ ...teaching, transcriptRev: 9 })).toHaveLength(2)
  expect([...entries.keys()]).toEqual([`/transcripts/${teaching.uid}.vtt?rev=9`])
})

test('a text that is corrected after its recording was saved is cached', async () => {
  const cached = new Map<string, Response>()
  const cache = {
    match: async (address: string) => cached.get(address)?.clone(),
    put: async (address: string, response: Response) => void cached.set(address, response),
    delete: async (address: string) => cached.delete(address),
  }
  vi.stubGlobal('caches', { open: async () => cache })
  const address = (rev: number) => `/transcripts/${teaching.uid}.vtt?rev=${rev}`
  const saved = aTeaching({ uid: teaching.uid, transcriptRev: 6 })
  await appDatabase().teachings.put(saved)
  await saveRecording(saved, 1)
  keepTexts()
  await expect.poll(() => [...cached.keys()]).toEqual([address(6)])
  fetched.mockRejectedValue(new TypeError('offline'))
  await appDatabase().teachings.put({ ...saved, transcriptRev: 7 })
  await expect.poll(() => fetched.mock.lastCall?.[0]).toBe(address(7))
  fetched.mockImplementation(async () => new Response(file()))
  window.dispatchEvent(new Event('online'))
  await expect.poll(() => cached.has(address(7))).toBe(true)
})
