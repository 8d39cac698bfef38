import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readNotes, writeNote } from '@fellowship/sync/client/listening/notes.store'
import { act, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { isPageHeld } from '../../lib/busy.ts'
import { listeningTexts as texts } from '@fellowship/schema/listening/listening.texts'
import {
  endSession,
  startSession,
  turnOff,
  turnOn,
} from '@fellowship/sync/client/listening/listening-accounts'
import { AuthProvider } from '../auth/auth-context.tsx'
import type { WatchCurrentUser } from '../auth/auth-state.ts'
import { toastStore } from '../../ui/toast.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { NotesPart } from './notes-part.tsx'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const next = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e02'

beforeEach(async () => {
  localStorage.clear()
  const db = appDatabase()
  for (const table of [db.notes, ...db.unsentTables, db.inactiveListening]) await table.clear()
})

/** Keyed by the teaching, as in the large player. */
const notesPart = (of: string) => <NotesPart key={of} uid={of} now={() => 754.6} onPlay={() => undefined} />
const part = (of: string) => <SignedIn>{notesPart(of)}</SignedIn>
const signedOut = async (): Promise<WatchCurrentUser> => (onChange) => {
  onChange({ status: 'known', user: null, registrationOpen: false })
  return () => undefined
}
const write = async (words: string) => {
  await userEvent.click(await screen.findByRole('button', { name: 'Write a note' }))
  await userEvent.type(screen.getByLabelText('Note at 12:34'), words)
}
const kept = async (of: string) => (await readNotes(of)).map(({ seconds, text }) => `${seconds} ${text}`)

describe('a note that is being written', () => {
  test('saves an unfinished note when the next teaching plays', async () => {
    const { rerender } = render(part(uid))
    await write('The true vine')
    rerender(part(next))
    await waitFor(async () => expect(await kept(uid)).toEqual(['754 The true vine']))
    expect(await kept(next)).toEqual([])
    expect(screen.queryByRole('textbox')).toBeNull()
  })

  test('saves an unfinished note when the player closes', async () => {
    const { unmount } = render(part(uid))
    await write('Abide')
    await userEvent.click(screen.getByRole('button', { name: 'Save note' }))
    await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull())
    await write('In me')
    unmount()
    await waitFor(async () => expect((await kept(uid)).sort()).toEqual(['754 Abide', '754 In me']))
  })

  test('saves a note once if its form unmounts meanwhile', async () => {
    const { unmount } = render(part(uid))
    await write('Abide')
    fireEvent.click(screen.getByRole('button', { name: 'Save note' }))
    unmount()
    await waitFor(async () => expect(await kept(uid)).toEqual(['754 Abide']))
    await new Promise((resolve) => setTimeout(resolve, 50))
    expect(await kept(uid)).toEqual(['754 Abide'])
  })

  test('a double press saves one note', async () => {
    render(part(uid))
    await write('Abide')
    const button = screen.getByRole('button', { name: 'Save note' })
    fireEvent.click(button)
    fireEvent.click(button)
    await waitFor(() => expect(screen.queryByRole('textbox')).toBeNull())
    expect(await kept(uid)).toEqual(['754 Abide'])
  })

  test('keeps a draft of the typed words alone', async () => {
    render(part(uid))
    await write('Abide')
    const drafts = () => Object.values({ ...localStorage }).join()
    expect(drafts()).toContain('"words":{"text":"Abide"}')
    await userEvent.clear(screen.getByRole('textbox'))
    expect(drafts()).not.toContain('Abide')
  })

  test('returns after a crash, at its second', async () => {
    localStorage.setItem(
      `draft:7:note:${uid} new`,
      JSON.stringify({ at: Date.now(), row: { seconds: 60, text: '' }, words: { text: 'Abide' } }),
    )
    render(part(uid))
    await userEvent.click(await screen.findByRole('button', { name: 'Write a note' }))
    expect(screen.getByLabelText<HTMLInputElement>('Note at 1:00').value).toBe('Abide')
    await userEvent.click(screen.getByRole('button', { name: 'Save note' }))
    await waitFor(async () => expect(await kept(uid)).toEqual(['60 Abide']))
    expect(localStorage.length).toBe(0)
  })

  test('can be discarded after a crash', async () => {
    localStorage.setItem(
      `draft:7:note:${uid} new`,
      JSON.stringify({ at: Date.now(), row: { seconds: 60, text: '' }, words: { text: 'Abide' } }),
    )
    render(part(uid))
    await userEvent.click(await screen.findByRole('button', { name: 'Write a note' }))
    await userEvent.click(screen.getByRole('button', { name: 'Discard' }))
    expect(screen.getByLabelText<HTMLInputElement>('Note at 12:34').value).toBe('')
    expect([localStorage.length, isPageHeld()]).toEqual([0, false])
  })

  test('an edit leaves newer words beside it', async () => {
    await writeNote({ uid, seconds: 60, text: 'Older' })
    render(part(uid))
    await userEvent.click(await screen.findByRole('button', { name: 'Edit the note at 1:00' }))
    await userEvent.type(screen.getByLabelText('Note at 1:00'), ' and mine')
    await appDatabase().notes.toCollection().modify({ text: 'Newer', changedAt: Date.now() })
    await userEvent.click(screen.getByRole('button', { name: 'Save note' }))
    await waitFor(async () => expect((await kept(uid)).sort()).toEqual(['60 Newer', '60 Older and mine']))
  })

  test('opening another note saves it, Cancel discards it', async () => {
    await writeNote({ uid, seconds: 60, text: 'An older one' })
    render(part(uid))
    await write('The true vine')
    await userEvent.click(await screen.findByRole('button', { name: 'Edit the note at 1:00' }))
    await waitFor(async () => expect(await kept(uid)).toEqual(['60 An older one', '754 The true vine']))
    await userEvent.type(screen.getByLabelText('Note at 1:00'), ', other words')
    await userEvent.click(screen.getByRole('button', { name: 'Cancel' }))
    expect(screen.queryByRole('textbox')).toBeNull()
    expect(await kept(uid)).toEqual(['60 An older one', '754 The true vine'])
  })

  test('an unsaved note holds the page', async () => {
    render(part(uid))
    await userEvent.click(await screen.findByRole('button', { name: 'Write a note' }))
    expect(isPageHeld()).toBe(false)
    await userEvent.type(screen.getByRole('textbox'), 'A')
    expect(isPageHeld()).toBe(true)
    await userEvent.click(screen.getByRole('button', { name: 'Save note' }))
    await waitFor(() => expect(isPageHeld()).toBe(false))
  })
})

describe('the sentence about notes', () => {
  const turnedOff = async (held: number) => {
    await turnOn(appDatabase(), 7)
    await turnOff(appDatabase(), 7, held)
  }
  const keptOf = (userId: number) => turnOn(appDatabase(), userId)
  const states: [string, boolean, string, () => Promise<unknown>][] = [
    ['signed out', false, texts.noteOnDevice, async () => undefined],
    ['signed in, never kept', true, texts.noteOnDevice, () => startSession(appDatabase(), 7)],
    ['kept with the account', true, texts.noteWithAccount, () => keptOf(7)],
    ['turned off, all deleted', true, texts.noteOnDevice, () => turnedOff(0)],
    ['turned off, left on the server', true, texts.newNoteOnDevice, () => turnedOff(2)],
    [
      'signed out, of a kept account',
      false,
      texts.noteOnDevice,
      async () => {
        await keptOf(7)
        await endSession(appDatabase())
      },
    ],
  ]

  test.each(states)('is true %s', async (_, isSignedIn, sentence, begin) => {
    await begin()
    render(isSignedIn ? part(uid) : <AuthProvider load={signedOut}>{notesPart(uid)}</AuthProvider>)
    expect(await screen.findByText(sentence)).toBeTruthy()
    const others = states.map((state) => state[2]).filter((each) => each !== sentence)
    expect(others.filter((each) => screen.queryByText(each))).toEqual([])
  })
})

describe('the listed notes', () => {
  const show = async (onPlay = () => undefined) => {
    await writeNote({ id: 'n', uid, seconds: 75, text: 'The true vine' } as never)
    render(
      <SignedIn>
        <NotesPart uid={uid} now={() => 0} onPlay={onPlay} />
      </SignedIn>,
    )
    await screen.findByText('The true vine')
  }
  const press = (name: RegExp | string) => userEvent.click(screen.getByRole('button', { name }))

  test('play from their second', async () => {
    const onPlay = vi.fn()
    await show(onPlay)
    await press('Play from the note at 1:15')
    expect(onPlay).toHaveBeenCalledWith(75)
  })

  test('are removed, and restored by Undo', async () => {
    await show()
    await press('Remove the note at 1:15')
    await waitFor(async () => expect(await kept(uid)).toEqual([]))
    expect(toastStore.snapshot()?.title).toBe(texts.noteRemoved)
    act(() => toastStore.snapshot()!.action!.onPress())
    await waitFor(async () => expect(await kept(uid)).toEqual(['75 The true vine']))
  })

  test('stay if the device cannot write', async () => {
    await show()
    toastStore.set(null)
    vi.spyOn(appDatabase(), 'transaction').mockRejectedValueOnce(
      new DOMException('', 'QuotaExceededError') as never,
    )
    await press('Remove the note at 1:15')
    await waitFor(() =>
      expect(toastStore.snapshot()).toMatchObject({ ...texts.notKept, kind: 'destructive' }),
    )
    expect(await kept(uid)).toEqual(['75 The true vine'])
  })
})
