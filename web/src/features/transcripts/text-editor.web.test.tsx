import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { TextEditor } from './text-editor.tsx'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const other = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e02'
const sentence = (start: number, text: string) => ({ start, end: null, about: false, voice: '', text })
const draft = {
  version: 3,
  state: 'draft',
  source: 'person',
  language: '',
  savedBy: 'Ruth',
  savedAt: '2026-11-22T00:00:00.000Z',
  sentences: [sentence(0, 'Grace.'), sentence(4_000, 'Peace.'), sentence(9_000, 'Amen.')],
}

beforeEach(() => {
  localStorage.clear()
  vi.stubGlobal('fetch', async () => Response.json({ teaching: uid, draft, approved: null, earlier: [] }))
  Element.prototype.scrollIntoView = () => undefined
})

async function open(recording: { uid: string } | null) {
  const state = { position: 5, status: 'playing', recording }
  const listeners = new Set<() => void>()
  const player = {
    state: () => state,
    pause: vi.fn<() => void>(),
    subscribe: (listener: () => void) => {
      listeners.add(listener)
      return () => void listeners.delete(listener)
    },
  }
  const onPlay = vi.fn<(seconds: number) => void>()
  const props = { title: 'Hope', userId: 7, player, onPlay, onClose: () => undefined }
  render(<TextEditor teaching={{ id: 1, uid }} {...props} />)
  await screen.findByText('Peace.')
  return { player, onPlay }
}
const marked = () => document.querySelector('li[aria-current]')?.textContent

test('marks what sounds, and pauses it', async () => {
  const { player } = await open({ uid })
  expect(marked()).toContain('Peace.')
  await userEvent.click(screen.getByRole('button', { name: 'Pause' }))
  expect(player.pause).toHaveBeenCalledOnce()
})

test('ignores the recording of another teaching', async () => {
  const { player, onPlay } = await open({ uid: other })
  expect(marked()).not.toContain('Peace.')
  await userEvent.click(screen.getByRole('button', { name: 'Play' }))
  expect(player.pause).not.toHaveBeenCalled()
  expect(onPlay).toHaveBeenCalledWith(0)
})
