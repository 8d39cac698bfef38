import { newElder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import { anElder } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { ElderForm } from './elder-management-form.tsx'

const anna = anElder({
  id: 3,
  name: 'Anna Example',
  displayOrder: 0,
  shortBio: 'Short.',
  extendedBio: 'Old.',
})

test('sends only the changed field', async () => {
  const received = await testServer({
    'PUT /api/elders/3': () => ({ body: { ...anna, role: 'Pastor', extendedBio: 'New.', displayOrder: 4 } }),
  })
  const onClose = vi.fn()
  render(
    <SignedIn>
      <ElderForm lastOrder={0} elder={anna} onClose={onClose} />
    </SignedIn>,
  )
  fireEvent.change(await screen.findByLabelText('Role'), { target: { value: 'Pastor' } })
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const sent = received.find(({ method }) => method === 'PUT')
  expect(JSON.parse(sent?.body ?? '')).toEqual({ role: 'Pastor', baseRev: anna.rev })
})

const later = { ...anna, rev: anna.rev + 1 }

test.each([
  [
    'saves over another administrator’s change of another field',
    { ...later, shortBio: 'Theirs.' },
    [anna.rev, later.rev],
    undefined,
  ],
  [
    'shows another administrator’s change of the same field first',
    { ...later, role: 'Deacon' },
    [anna.rev],
    elderTexts.changed,
  ],
])('%s', async (_, current, expected, problem) => {
  const refused = { success: false, code: 'revision_conflict', error: elderTexts.changed, current }
  const revisions: number[] = []
  await testServer({
    'GET /api/elders': () => ({ body: [current] }),
    'PUT /api/elders/3': ({ body }) => {
      const { baseRev, ...changes } = JSON.parse(body) as { baseRev: number }
      revisions.push(baseRev)
      return baseRev < current.rev ? { status: 409, body: refused } : { body: { ...current, ...changes } }
    },
  })
  const onClose = vi.fn()
  render(
    <SignedIn>
      <ElderForm lastOrder={0} elder={anna} onClose={onClose} />
    </SignedIn>,
  )
  fireEvent.change(await screen.findByLabelText('Role'), { target: { value: 'Pastor' } })
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  if (problem) {
    await screen.findByText(problem)
    expect(revisions).toEqual(expected)
    // Their words are shown; saving again is a decision.
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
  }
  await waitFor(() => expect(onClose).toHaveBeenCalled())
  expect(revisions.at(-1)).toBe(current.rev)
})

test('has an input for every text of an elder', async () => {
  render(
    <SignedIn>
      <ElderForm lastOrder={0} elder={anna} onClose={vi.fn()} />
    </SignedIn>,
  )
  await screen.findByLabelText('Name')
  const names = [...document.querySelectorAll('form [name]')].map((input) => input.getAttribute('name'))
  expect(names).toEqual(expect.arrayContaining(Object.keys(newElder.omit({ imageUrl: true }).shape)))
})
