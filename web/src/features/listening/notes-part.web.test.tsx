import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readNotes, writeNote } from '@fellowship/sync/client/listening/notes.store'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test } from 'vitest'
import { isPageHeld } from '../../lib/busy.ts'
import { NotesPart } from './notes-part.tsx'

const uid = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e01'
const next = '6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e02'

beforeEach(() => appDatabase().notes.clear())

/** Keyed by the teaching, as in the large player. */
const part = (of: string) => <NotesPart key={of} uid={of} now={() => 754.6} onPlay={() => undefined} />
const write = async (words: string) => {
  await userEvent.click(screen.getByRole('button', { name: 'Write a note' }))
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
    await userEvent.click(screen.getByRole('button', { name: 'Write a note' }))
    expect(isPageHeld()).toBe(false)
    await userEvent.type(screen.getByRole('textbox'), 'A')
    expect(isPageHeld()).toBe(true)
    await userEvent.click(screen.getByRole('button', { name: 'Save note' }))
    await waitFor(() => expect(isPageHeld()).toBe(false))
  })
})
