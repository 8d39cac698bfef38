import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { EditTeachingDialog } from './teaching-dialogs.tsx'
import { TeachingRow } from './teaching-row.tsx'

const teaching = aTeaching({ id: 5, rev: 12, description: 'First of three.' })

afterEach(async () => {
  deviceQueues().setUser(undefined)
  await appDatabase().outbox.clear()
})

const edit = async (shown = teaching) => {
  // Loaded at the first submit: on a busy machine that takes longer than the timeouts of the assertions.
  await import('./outbox.device.ts')
  await testServer({ 'PUT /api/teachings/5': () => ({ status: 503, body: { error: 'Not now' } }) })
  render(
    <SignedIn>
      <EditTeachingDialog teaching={shown} onClose={() => undefined} />
    </SignedIn>,
  )
  await screen.findByRole('dialog')
}
const description = () => screen.getByLabelText<HTMLTextAreaElement>(/^Description/)

test('the dialog rejects a description that is too long', async () => {
  await edit()
  fireEvent.change(description(), { target: { value: 'x'.repeat(2_001) } })
  await userEvent.click(screen.getByRole('button', { name: 'Update' }))
  await waitFor(() => expect(description().getAttribute('aria-invalid')).toBe('true'))
  expect(await appDatabase().outbox.count()).toBe(0)
})

test('a row shows its description only while open', () => {
  const row = (playback: 'closed' | 'playing') => (
    <TeachingRow teaching={teaching} playback={playback} onToggle={() => undefined} />
  )
  const { rerender } = render(row('closed'))
  expect(screen.queryByText('First of three.')).toBeNull()
  rerender(row('playing'))
  expect(screen.getByText('First of three.')).toBeTruthy()
})

test('queues only the changed description', async () => {
  await edit()
  fireEvent.change(description(), { target: { value: 'First of five.' } })
  await userEvent.click(screen.getByRole('button', { name: 'Update' }))
  await waitFor(async () =>
    expect(await appDatabase().outbox.toArray()).toMatchObject([
      { patch: { description: 'First of five.' } },
    ]),
  )
  expect(Object.keys((await appDatabase().outbox.toArray())[0]!.patch)).toEqual(['description'])
})

test('adds no description to an older row', async () => {
  const { description: _none, ...older } = teaching
  await edit(older as typeof teaching)
  expect(description().value).toBe('')
  fireEvent.change(screen.getByLabelText('Speaker'), { target: { value: 'Jane Smith' } })
  await userEvent.click(screen.getByRole('button', { name: 'Update' }))
  await waitFor(async () =>
    expect((await appDatabase().outbox.toArray()).map(({ patch }) => patch)).toEqual([
      { speaker: 'Jane Smith' },
    ]),
  )
})
