import type { ManagedUser } from '@fellowship/schema/users/users.contract'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { AuthProvider, useAuth } from '../auth/auth-context.tsx'
import { watchCurrentUser } from '../auth/auth.queries.ts'
import { UserForm } from './user-list.tsx'

const admin = { id: 1, name: 'Anna', email: 'anna@example.org', role: 'admin' as const }
const mere: ManagedUser = {
  id: 7,
  name: 'Mere',
  email: 'mere@example.org',
  role: 'admin',
  isActive: true,
  isEmailVerified: true,
  lockedUntil: null,
  createdAt: '2026-01-01T00:00:00.000Z',
}

test('does not send unchanged fields', async () => {
  const received = await testServer({
    'PUT /api/admin/users/7': () => ({
      body: { ...mere, name: 'Mere Smith', role: 'user', isActive: false },
    }),
  })
  const onClose = vi.fn()
  render(
    <SignedIn user={admin}>
      <UserForm user={mere} onClose={onClose} />
    </SignedIn>,
  )
  fireEvent.change(await screen.findByLabelText('Name'), { target: { value: 'Mere Smith' } })
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))

  await waitFor(() => expect(onClose).toHaveBeenCalled())
  const sent = received.find(({ method }) => method === 'PUT')
  expect(JSON.parse(sent?.body ?? '')).toEqual({ name: 'Mere Smith' })
})

test('shows a changed name of the signed-in user at once', async () => {
  let name = 'Anna'
  await testServer({
    'GET /api/auth/user': () => ({ body: { user: { ...admin, name }, registration: 'closed' } }),
    'PUT /api/admin/users/1': () => {
      name = 'Anna Smith'
      return { body: { ...mere, ...admin, name } }
    },
  })
  render(
    <AuthProvider load={async () => watchCurrentUser}>
      <SignedInAs />
      <UserForm user={{ ...mere, ...admin }} onClose={() => undefined} />
    </AuthProvider>,
  )
  await screen.findByText('Signed in as Anna')
  fireEvent.change(screen.getByLabelText('Name'), { target: { value: 'Anna Smith' } })
  await userEvent.click(screen.getByRole('button', { name: 'Save' }))

  await screen.findByText('Signed in as Anna Smith')
})

function SignedInAs() {
  return <p>Signed in as {useAuth().user?.name}</p>
}
