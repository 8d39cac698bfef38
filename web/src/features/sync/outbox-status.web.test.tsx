import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase, type TeachingEntry } from '@fellowship/sync/client/database/app-database'
import { uploadDatabase } from '@fellowship/sync/client/database/upload-database'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { testServer } from '../../testing/test-server.ts'
import { OutboxStatus } from './outbox-status.tsx'

const went = vi.hoisted(() => vi.fn())
vi.mock('@tanstack/react-router', async (load) => ({
  ...(await load<Record<string, unknown>>()),
  useNavigate: () => went,
}))

const row = aTeaching({ id: 5, title: 'Hope' })
let made = 0
const add = (change: Partial<TeachingEntry>) =>
  appDatabase().outbox.add({
    mutationId: `0190a000-0000-7000-8000-00000000000${(made += 1)}`,
    teachingId: row.id,
    uid: `uid-${made}`,
    title: row.title,
    op: 'edit',
    base: textOf(row),
    patch: { speaker: 'Mine' },
    baseRev: row.rev,
    ownerUserId: 7,
    state: 'queued',
    attempts: 0,
    nextAttemptAt: 0,
    createdAt: 0,
    ...change,
  })

beforeEach(async () => {
  went.mockClear()
  await testServer({})
  await Promise.all([appDatabase().outbox.clear(), uploadDatabase().jobs.clear()])
})

test('leads to all changes that need a person', async () => {
  await add({ title: 'Refused', state: 'rejected', lastError: { code: 'x', sentence: 'No.' } })
  await add({ title: 'Changed', state: 'conflict', current: { ...row, speaker: 'Theirs' } })
  await add({ title: 'Of another', state: 'rejected', ownerUserId: 8 })
  await add({ title: 'On its way', attempts: 1 })
  render(<OutboxStatus userId={7} />)
  expect(await screen.findByText('Needs your attention (2)')).toBeTruthy()
  expect(screen.getByText(/^1 change on this device, will be sent/)).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Sign in' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Review' }))
  const dialog = within(await screen.findByRole('dialog'))
  const titles = () => dialog.getAllByRole('region').map((part) => part.getAttribute('aria-label') ?? '')
  await waitFor(() => expect(titles()).toHaveLength(2))
  for (const title of ['Refused', 'Changed']) expect(dialog.getAllByText(title).length).toBeGreaterThan(0)
  for (const title of ['Of another', 'On its way']) expect(dialog.queryByText(title)).toBeNull()
})

test('asks to sign in for what waits without an owner', async () => {
  await uploadDatabase().jobs.add(anUploadJob({ ownerUserId: null }))
  render(<OutboxStatus userId={undefined} />)
  await userEvent.click(await screen.findByRole('button', { name: 'Sign in' }))
  const [{ search }] = went.mock.calls[0] as [{ search: (before: object) => object }]
  expect(search({ year: 2025 })).toEqual({ year: 2025, signin: '' })
  expect(screen.queryByText(/^Needs your attention/)).toBeNull()
})

test('shows nothing of changes at their first attempt', async () => {
  await add({})
  const { container } = render(<OutboxStatus userId={7} />)
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(container.textContent).toBe('')
})
