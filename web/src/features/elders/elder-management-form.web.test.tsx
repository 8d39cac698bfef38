import { newElder } from '@fellowship/schema/elders/elders.schema'
import { anElder } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
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
  render(<ElderForm lastOrder={0} elder={anna} onClose={onClose} />)
  fireEvent.change(await screen.findByLabelText('Role'), { target: { value: 'Pastor' } })
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const sent = received.find(({ method }) => method === 'PUT')
  expect(JSON.parse(sent?.body ?? '')).toEqual({ role: 'Pastor' })
})

test('has an input for every text of an elder', async () => {
  render(<ElderForm lastOrder={0} elder={anna} onClose={vi.fn()} />)
  await screen.findByLabelText('Name')
  const names = [...document.querySelectorAll('form [name]')].map((input) => input.getAttribute('name'))
  expect(names).toEqual(expect.arrayContaining(Object.keys(newElder.omit({ imageUrl: true }).shape)))
})
