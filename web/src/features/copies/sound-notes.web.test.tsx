import { copies, type SoundNote } from '@fellowship/schema/copies/copies.contract'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { Toaster } from '../../ui/toaster.tsx'
import { SoundNotes } from './sound-notes.tsx'

afterEach(() => queryClient.clear())

const hope = aTeaching({ id: 7, title: 'Hope', speaker: 'John Smith', date: '2026-11-22' })
const name = 'Hope, John Smith, 22 November 2026'
const note = (change: Partial<SoundNote> = {}): SoundNote => ({
  id: hope.id,
  uid: hope.uid,
  title: hope.title,
  speaker: hope.speaker,
  date: hope.date,
  scriptureReference: null,
  faults: ['silent_start'],
  trim: { start: 19, end: 0 },
  untouched: null,
  ...change,
})
const none = { notes: [], waiting: [], unmeasurable: [] }
const list = `GET ${copies.sounds.path}`

test('shows nothing offline or without faults', async () => {
  const asked = await testServer({ [list]: () => ({ body: none }) })
  render(<SoundNotes latest={undefined} open />)
  await waitFor(() => expect(asked).toHaveLength(1))
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  expect(document.body.textContent).toBe('')
})

test.each([
  [{ ...none, waiting: [hope.uid] }, /is checked now/],
  [{ ...none, unmeasurable: [hope.uid] }, /could not be checked/],
  [none, /Sound is good/],
])('shows how the latest upload sounds', async (body, sentence) => {
  await testServer({ [list]: () => ({ body }) })
  render(<SoundNotes latest={hope} open={false} />)
  expect(await screen.findByText(sentence)).toBeTruthy()
})

test('does not judge an upload by an older answer', async () => {
  let isReachable = true
  await testServer({ [list]: () => (isReachable ? { body: none } : { status: 503, body: {} }) })
  const view = render(<SoundNotes latest={undefined} open />)
  await waitFor(() => expect(queryClient.getQueryData([copies.sounds.path])).toEqual(none))
  isReachable = false
  view.rerender(<SoundNotes latest={hope} open />)
  expect(await screen.findByText(/is checked now/)).toBeTruthy()
  await waitFor(() => expect(queryClient.getQueryState([copies.sounds.path])?.status).toBe('error'))
  expect(screen.queryByText(/Sound is good/)).toBeNull()
})

test('shows a refused trim, and offers to undo one', async () => {
  let isTrimmed = false
  let isRefused = true
  const asked = await testServer({
    [list]: () => ({
      body: {
        ...none,
        notes: [
          isTrimmed
            ? note({ faults: [], trim: null, untouched: { bytes: 40_000_000, duration: '45:00' } })
            : note(),
        ],
      },
    }),
    [`POST /api/teachings/${hope.id}/trim`]: () => {
      if (isRefused) return { status: 507, body: { error: 'The disk is full.', code: 'disk_full' } }
      isTrimmed = true
      return { body: hope }
    },
    [`POST /api/teachings/${hope.id}/untrim`]: () => {
      isTrimmed = false
      return { body: hope }
    },
  })
  render(
    <>
      <SoundNotes latest={hope} open />
      <Toaster />
    </>,
  )
  expect(await screen.findByText('It begins with a long silence.')).toBeTruthy()
  expect(screen.getByText(/^19 s at the start can be cut off/)).toBeTruthy()
  const trim = { name: `Trim it: ${name}` }
  await userEvent.click(screen.getByRole('button', trim))
  expect(await screen.findByText('The disk is full.')).toBeTruthy()
  isRefused = false
  await userEvent.click(await screen.findByRole('button', trim))
  const back = { name: `Restore the original: ${name}` }
  await userEvent.click(await screen.findByRole('button', back))
  expect(await screen.findByRole('button', trim)).toBeTruthy()
  expect(
    asked.filter(({ method }) => method === 'POST').map(({ body }) => JSON.parse(body) as unknown),
  ).toEqual(Array.from({ length: 3 }, () => ({ uid: hope.uid })))
})
