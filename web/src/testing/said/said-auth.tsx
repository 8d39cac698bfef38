import { aManagedUser, aUser } from '@fellowship/schema/testing/builders'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { vi } from 'vitest'
import { renderSite } from '../render-site.tsx'
import { testServer } from '../test-server.ts'
import { dialog, fillIn, press, refused, type Scenario } from './scenario.ts'

const nobody = { 'GET /api/auth/user': () => ({ body: { user: null, registration: 'open' } }) }
const aroha = {
  'GET /api/auth/user': () => ({ body: { user: aUser({ name: 'Aroha' }), registration: 'open' } }),
}
const account = { Email: 'aroha@example.test', Password: 'long enough' }

async function signIn(fields: Record<string, string>): Promise<void> {
  renderSite('/about?signin', 'ask')
  const form = await dialog()
  await fillIn(fields)
  await userEvent.click(form.getByRole('button', { name: 'Sign In' }))
}

async function register(fields: Record<string, string>): Promise<void> {
  renderSite('/about?signin', 'ask')
  await press('Create an account')
  await fillIn(fields)
  await press('Create the account')
}

async function signOut(): Promise<void> {
  renderSite('/about', 'ask')
  await press(/Aroha/)
  await userEvent.click((await dialog()).getByRole('button', { name: 'Sign Out' }))
}

export const saidByAuth: readonly Scenario[] = [
  {
    says: ['Invalid email address', 'Password is required'],
    bring: async () => {
      await testServer(nobody)
      await signIn({ Email: 'nobody' })
    },
  },
  {
    says: ['Login failed'],
    bring: async () => {
      await testServer({
        ...nobody,
        'POST /api/auth/login': () => refused(401, 'No.', 'invalid_credentials'),
      })
      await signIn(account)
    },
  },
  {
    says: ['Login successful', 'Welcome back!'],
    bring: async () => {
      await testServer({ ...nobody, 'POST /api/auth/login': () => ({ body: { user: aUser() } }) })
      await signIn(account)
    },
  },
  {
    says: ['Name must be at least 2 characters', 'Password must be at least 8 characters'],
    bring: async () => {
      await testServer(nobody)
      await register({ Name: 'A', Email: 'a@b.test', Password: 'short' })
    },
  },
  {
    says: ['Registration failed'],
    bring: async () => {
      await testServer({ ...nobody, 'POST /api/auth/register': () => refused() })
      await register({ Name: 'Aroha', ...account })
    },
  },
  {
    says: ['Registration successful'],
    bring: async () => {
      await testServer({ ...nobody, 'POST /api/auth/register': () => ({ body: { user: aUser() } }) })
      await register({ Name: 'Aroha', ...account })
    },
  },
  {
    says: ['Logout failed'],
    bring: async () => {
      await testServer({ ...aroha, 'POST /api/auth/logout': () => refused() })
      await signOut()
    },
  },
  {
    says: ['Logout successful', 'You have been logged out.'],
    bring: async () => {
      await testServer({ ...aroha, 'POST /api/auth/logout': () => ({ body: { success: true } }) })
      await signOut()
    },
  },
  {
    says: ['Authentication Required'],
    bring: async () => {
      await testServer(nobody)
      renderSite('/admin', null)
    },
  },
  {
    says: ['Unauthorized', 'You are logged out. Logging in again...'],
    bring: async () => {
      vi.spyOn(location, 'assign').mockImplementation(() => undefined)
      await testServer({
        'GET /api/admin/users': () => ({ body: [aManagedUser({ id: 7, name: 'Mere' })] }),
        'DELETE /api/admin/users/7': () => refused(401, 'Unauthorized', 'unauthorized'),
      })
      renderSite('/manage', { id: 1, name: 'Anna', email: 'anna@example.test', role: 'admin' })
      await press('Delete Mere')
      await press('Delete')
    },
  },
  {
    says: ['Name is required'],
    bring: async () => {
      await testServer({ 'GET /api/admin/users': () => ({ body: [] }) })
      renderSite('/manage', { id: 1, name: 'Anna', email: 'anna@example.test', role: 'admin' })
      await press('Add User')
      await screen.findByLabelText('Name')
      await press('Create User')
    },
  },
]
