import type { EarlierText, Transcript } from '@fellowship/schema/transcripts/transcripts.contract'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { act, cleanup, render, renderHook, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { toastStore } from '../../ui/toast.ts'
import { EarlierTexts } from './earlier-texts.tsx'
import { useEditedText } from './edited-text.queries.ts'
import { keepText, keyOfText, readKept, sendWaitingTexts } from './waiting-texts.ts'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const said = (...words: string[]): Sentence[] =>
  words.map((text) => ({ start: null, end: null, about: false, voice: '', text }))
const facts = {
  source: 'person',
  language: '',
  savedBy: 'Ruth',
  savedAt: '2026-11-22T00:00:00.000Z',
} as const

/** The server's text; `saved` counts the requests that reached it. */
let server: Transcript | null
let isOnline: boolean
let earlier: EarlierText[]
let saved: Sentence[][]

const json = (body: unknown, status = 200) => Response.json(body, { status })
async function answer(address: string, init?: RequestInit): Promise<Response> {
  if (!isOnline) throw new TypeError('offline')
  if (address.includes('csrf-token')) return json({ csrfToken: 'x' })
  if (init?.method === 'PUT') {
    const base = Number(new URL(address, 'http://a').searchParams.get('baseVersion'))
    if (server && base !== server.version)
      return json({ success: false, code: 'revision_conflict', error: 'changed', current: server }, 409)
    const file = (init.body as FormData).get('transcript') as File
    const { sentences } = JSON.parse(await file.text()) as { sentences: Sentence[] }
    saved.push(sentences)
    server = { ...facts, version: (server?.version ?? 0) + 1, state: 'draft', sentences }
    return json(server)
  }
  if (address.endsWith('/restore')) {
    const { baseVersion } = JSON.parse(init!.body as string) as { baseVersion?: number }
    if (server && baseVersion !== server.version)
      return json({ success: false, code: 'revision_conflict', error: 'changed', current: server }, 409)
    server = { ...facts, version: 20, state: 'draft', sentences: said('Restored.') }
    earlier = []
    return json(server)
  }
  if (init?.method === 'POST') return json((server = { ...server!, state: 'approved' }))
  const approved = server?.state === 'approved' ? server : null
  if (!server) return json({ success: false, code: 'not_found', error: texts.none }, 404)
  return json({ teaching: uid, draft: approved ? null : server, approved, earlier })
}

beforeEach(() => {
  vi.stubGlobal('fetch', (address: string, init?: RequestInit) => answer(address, init))
  server = { ...facts, version: 3, state: 'approved', sentences: said('Grace.', 'Peace.', 'Amen.') }
  isOnline = true
  saved = []
  earlier = []
  localStorage.clear()
})
afterEach(() => {
  cleanup()
  vi.unstubAllGlobals()
})

async function opened() {
  const { result, unmount } = renderHook(() => useEditedText({ id: 1, uid }, 2))
  await waitFor(() => expect(result.current.sentences).toBeDefined())
  return { text: result, unmount }
}

test('a teaching without a text begins empty', async () => {
  server = null
  const { text } = await opened()
  expect([text.current.sentences, text.current.isDraft, text.current.notice]).toEqual([[], false, ''])
})

test('undo and redo lead back and forth', async () => {
  const { text } = await opened()
  act(() => text.current.change(said('One.')))
  act(() => text.current.change(said('Two.')))
  act(() => text.current.undo!())
  expect(text.current.sentences).toEqual(said('One.'))
  act(() => text.current.undo!())
  expect([text.current.isChanged, text.current.undo]).toEqual([false, undefined])
  act(() => text.current.redo!())
  expect(text.current.sentences).toEqual(said('One.'))
})

test('changes survive a lost connection and a reload', async () => {
  const { text, unmount } = await opened()
  act(() => text.current.change(said('Changed.')))
  isOnline = false
  await act(() => text.current.save())
  expect(text.current.notice).toBe(texts.keptHere)
  unmount()
  const again = await opened()
  expect(again.text.current.sentences).toEqual(said('Changed.'))
  await act(() => again.text.current.save())
  isOnline = true
  act(() => void window.dispatchEvent(new Event('online')))
  await waitFor(() => expect(saved).toEqual([said('Changed.')]))
  await waitFor(() => expect(again.text.current.isChanged).toBe(false))
  again.unmount()
  expect((await opened()).text.current.sentences).toEqual(said('Changed.'))
})

test('a saved text is sent after its editor closed', async () => {
  const { text, unmount } = await opened()
  act(() => text.current.change(said('Changed.')))
  isOnline = false
  await act(() => text.current.save())
  act(() => text.current.change(said('Changed twice.')))
  const stop = sendWaitingTexts(2)
  unmount()
  isOnline = true
  window.dispatchEvent(new Event('online'))
  await waitFor(() => expect(saved).toEqual([said('Changed twice.')]))
  await waitFor(() => expect(localStorage.length).toBe(0))
  stop()
})

test('a waiting text that others changed stays here', async () => {
  const key = keyOfText(2, uid)
  const base = { version: 2, sentences: said('Old.'), isDraft: false }
  keepText(key, { base, sentences: said('Mine.'), waitsFor: 1 })
  const stop = sendWaitingTexts(2)
  await waitFor(() => expect(toastStore.snapshot()?.title).toBe(texts.notSent))
  expect(readKept(key)).toEqual({ base, sentences: said('Mine.') })
  stop()
  const { text } = await opened()
  await waitFor(() => expect(text.current.parts).toHaveLength(1))
})

test('a text that waited is saved when it opens', async () => {
  const base = { version: 3, sentences: server!.sentences, isDraft: false }
  keepText(keyOfText(2, uid), { base, sentences: said('Mine.'), waitsFor: 1 })
  const { text } = await opened()
  await waitFor(() => expect([saved, text.current.notice]).toEqual([[said('Mine.')], texts.saved]))
})

test('changes of others merge, the same sentence asks', async () => {
  const { text } = await opened()
  act(() => text.current.change(said('Mine.', 'Peace.', 'Amen.')))
  server = { ...server!, version: 8, sentences: said('Grace.', 'Peace.', 'Theirs.') }
  await act(() => text.current.save())
  expect([text.current.sentences, text.current.notice]).toEqual([
    said('Mine.', 'Peace.', 'Theirs.'),
    texts.changed,
  ])
  server = { ...server, version: 9, sentences: said('Other.', 'Peace.', 'Theirs.') }
  await act(() => text.current.save())
  expect(text.current.parts?.[0]).toEqual({ mine: said('Mine.'), theirs: said('Other.') })
  act(() => text.current.decide([true]))
  await act(() => text.current.approve())
  expect([saved, text.current.notice, text.current.isDraft]).toEqual([
    [said('Mine.', 'Peace.', 'Theirs.')],
    texts.approved,
    false,
  ])
})

test('an earlier version is restored, unless others changed the text', async () => {
  earlier = [
    {
      ...facts,
      version: 2,
      state: 'approved',
      sentences: 41,
      firstWords: 'Grace to you.',
      goneAt: '2026-12-22T00:00:00.000Z',
    },
  ]
  function Editor() {
    const text = useEditedText({ id: 1, uid }, 2)
    return (
      <>
        <output>{text.notice}</output>
        <p>{text.sentences?.map((sentence) => sentence.text).join(' ')}</p>
        <EarlierTexts id={1} text={text} onAnswered={() => undefined} />
      </>
    )
  }
  render(<Editor />)
  await screen.findByText('Grace. Peace. Amen.')
  await userEvent.click(screen.getByText('Earlier versions'))
  const line = (await screen.findByText('Grace to you.')).closest('li')!
  expect(line.textContent).toMatch(/^Grace to you\..*Ruth 41 sentences was approved/)
  const restore = async () => {
    await userEvent.click(screen.getByRole('button', { name: /^Restore the version of / }))
    expect((await screen.findByRole('dialog')).textContent).not.toContain('not saved')
    await userEvent.click(screen.getByRole('button', { name: 'Restore' }))
  }
  server = { ...server!, version: 8, sentences: said('Theirs.') }
  await restore()
  await screen.findByText(texts.changed)
  await screen.findByText('Theirs.')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  await restore()
  await screen.findByText(texts.restored)
  await screen.findByText('Restored.')
  await screen.findByText(texts.noEarlier)
})
