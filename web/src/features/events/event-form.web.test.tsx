import type { EventRow } from '@fellowship/schema/events/events.schema'
import { eventTexts } from '@fellowship/schema/events/events.texts'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { EventForm } from './event-form.tsx'

afterEach(() => {
  queryClient.clear()
  localStorage.clear()
})

const tea: EventRow = {
  id: 3,
  uid: '0198c2f4-0000-7000-8000-000000000001',
  rev: 7,
  title: 'Tea',
  place: 'Hall',
  description: '',
  starts: '2026-03-01T10:00',
  ends: '2026-03-01T11:30',
  repeats: 'FREQ=MONTHLY;BYDAY=1SU,3SU',
  cancelled: ['2026-03-15'],
}

/** Opens the form; returns the requests that come, and whether it was closed. */
async function opened(event?: EventRow) {
  const received = await testServer({
    'POST /api/events': ({ body }) => ({ body: { ...tea, ...(JSON.parse(body) as object) } }),
    'PUT /api/events/3': () => ({ body: tea }),
  })
  const onClose = vi.fn()
  render(
    <SignedIn>
      <EventForm event={event} onClose={onClose} />
    </SignedIn>,
  )
  await screen.findByLabelText('Title')
  const sent = () =>
    received
      .filter(({ path }) => path.startsWith('/api/events'))
      .map(({ body }) => JSON.parse(body) as unknown)
  return { sent, onClose }
}
const type = (label: string | RegExp, value: string) =>
  fireEvent.change(screen.getByLabelText(label), { target: { value } })

test('refuses an end before the start', async () => {
  const { sent } = await opened()
  type('Title', 'Tea')
  type('Starts', '2026-03-01T10:00')
  type('Ends', '2026-03-01T09:00')
  await userEvent.click(screen.getByRole('button', { name: 'Create' }))
  await screen.findByText(eventTexts.endsFirst)
  expect(sent()).toEqual([])
})

test('offers the rules of the start and sends the chosen one', async () => {
  const { sent, onClose } = await opened()
  type('Title', 'Tea')
  type('Starts', '2026-03-01T10:00')
  type('Repeats', 'monthly-weekday')
  expect(screen.getByRole('option', { name: 'Every month on the first Sunday' })).toMatchObject({
    selected: true,
  })
  type(/^Until/, '2026-12-31')
  await userEvent.click(screen.getByRole('button', { name: 'Create' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent()).toEqual([
    {
      title: 'Tea',
      place: '',
      description: '',
      starts: '2026-03-01T10:00',
      // The end moved along with the start.
      ends: '2026-03-01T11:00',
      repeats: 'FREQ=MONTHLY;BYDAY=1SU;UNTIL=20261231',
      cancelled: [],
    },
  ])
})

test('keeps a rule and cancelled dates that it does not offer', async () => {
  const { sent, onClose } = await opened(tea)
  type('Title', 'Cake')
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(sent()).toEqual([
    {
      title: 'Cake',
      place: 'Hall',
      description: '',
      starts: tea.starts,
      ends: tea.ends,
      repeats: tea.repeats,
      baseRev: 7,
    },
  ])
})
