import { aUser } from '@fellowship/schema/testing/builders'
import { uploadDatabase, type UploadJob } from '@fellowship/sync/client/database/upload-database'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test, onTestFinished } from 'vitest'
import { renderFrom } from '../../boot/prerender-data.ts'
import { queryClient } from '../../lib/query-client.ts'
import { anUploadJob } from '../../testing/an-upload-job.ts'
import { renderSite } from '../../testing/render-site.tsx'
import { testServer } from '../../testing/test-server.ts'
import { rememberUser } from './auth.queries.ts'

const closed = { 'GET /api/auth/user': () => ({ body: { user: null, registration: 'closed' } }) }
const open = { 'GET /api/auth/user': () => ({ body: { user: null, registration: 'open' } }) }

afterEach(() => queryClient.clear())

const panel = async () => within(await screen.findByRole('dialog'))
async function enter(fields: Record<string, string>, submit: string) {
  const form = await panel()
  for (const [label, text] of Object.entries(fields)) await userEvent.type(form.getByLabelText(label), text)
  await userEvent.click(form.getByRole('button', { name: submit }))
}

describe('signing in', () => {
  test('reports an invalid field without a request', async () => {
    const received = await testServer(closed)
    renderSite('/about?signin', 'ask')
    await enter({ Email: 'nobody' }, 'Sign In')
    expect(await screen.findByText('Invalid email address')).toBeTruthy()
    expect(screen.getByText('Password is required')).toBeTruthy()
    expect(received.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  test('a rejected sign-in leaves the panel open', async () => {
    const error = 'Email or password is incorrect.'
    await testServer({
      ...closed,
      'POST /api/auth/login': () => ({ status: 401, body: { error, code: 'invalid_credentials' } }),
    })
    renderSite('/about?signin', 'ask')
    await enter({ Email: 'aroha@example.test', Password: 'wrong' }, 'Sign In')
    expect(await screen.findByText('Login failed')).toBeTruthy()
    expect(screen.getAllByText(error).length).toBeGreaterThan(0)
    expect((await panel()).getByLabelText<HTMLInputElement>('Email').value).toBe('aroha@example.test')
  })

  test('names the recordings that wait for the sign-in', async () => {
    const jobs = ['blocked_auth', 'done'].map((state, at) =>
      anUploadJob({ id: `job-${at}`, ownerUserId: 7, state: state as UploadJob['state'] }),
    )
    await uploadDatabase().jobs.bulkPut(jobs)
    onTestFinished(() => uploadDatabase().jobs.clear())
    await testServer(closed)
    renderSite('/?signin&return=/teaching', 'ask')
    await (await panel()).findByText('Sign in to send the recording that waits here. Nothing is lost.')
  })

  test('ignores a late answer without a user after sign-in', async () => {
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    let answered = () => {}
    const late = new Promise<void>((resolve) => (answered = resolve))
    await testServer({
      'GET /api/auth/user': async () => {
        await held
        setTimeout(answered)
        return { body: { user: null, registration: 'closed' } }
      },
      'POST /api/auth/login': () => ({ body: { user: aUser({ name: 'Aroha' }) } }),
    })
    renderSite('/about?signin', 'ask')
    await enter({ Email: 'aroha@example.test', Password: 'right' }, 'Sign In')
    expect(await screen.findByRole('button', { name: /Aroha/ })).toBeTruthy()
    release()
    await late
    // Long enough to handle the late answer.
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(screen.queryByRole('button', { name: /Aroha/ })).toBeTruthy()
  })

  test('shows Sign In during the first request', async () => {
    renderFrom({ elders: [], teachings: [], visitor: true })
    onTestFinished(() => renderFrom({ elders: [], teachings: [] }))
    let release = () => {}
    const held = new Promise<void>((resolve) => (release = resolve))
    const received = await testServer({
      'GET /api/auth/user': async () => {
        await held
        return { body: { user: aUser({ name: 'Aroha' }) } }
      },
    })
    renderSite('/about', 'ask')
    const button = await screen.findByRole('button', { name: 'Sign In' })
    await waitFor(() => expect(received.map(({ path }) => path)).toContain('/api/auth/user'))
    await userEvent.click(button)
    expect(button.isConnected).toBe(true)
    await panel()
    release()
    expect(await screen.findByRole('button', { name: /Aroha/ })).toBeTruthy()
  })

  test.each([
    ['a captive portal', 200],
    ['a restarting server', 502],
  ])('the remembered user stays signed in behind %s', async (_, status) => {
    rememberUser(aUser({ name: 'Aroha' }))
    onTestFinished(() => rememberUser(null))
    await testServer({ 'GET /api/auth/user': () => ({ status, body: '<html>Welcome to the motel.</html>' }) })
    renderSite('/about', 'ask')
    expect(await screen.findByRole('button', { name: /Aroha/ })).toBeTruthy()
  })

  test('sign-in closes the panel and opens the return address', async () => {
    const received = await testServer({
      ...closed,
      'POST /api/auth/login': () => ({ body: { user: aUser({ name: 'Aroha' }) } }),
    })
    const site = renderSite('/?signin&return=/about', 'ask')
    await enter({ Email: 'aroha@example.test', Password: 'right' }, 'Sign In')
    expect(await screen.findByText('Login successful')).toBeTruthy()
    expect(screen.getByText('Welcome back!')).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
    expect(screen.getByRole('button', { name: /Aroha/ })).toBeTruthy()
    await waitFor(() => expect(site.address()).toBe('/about'))
    const sent = received.find(({ method }) => method === 'POST')!
    expect(sent.headers['x-csrf-token']).toBe('token')
    expect(JSON.parse(sent.body)).toEqual({ email: 'aroha@example.test', password: 'right' })
  })
})

describe('registration', () => {
  test('hides registration if it is closed', async () => {
    await testServer(closed)
    renderSite('/about?signin', 'ask')
    expect((await panel()).queryByRole('button', { name: 'Create an account' })).toBeNull()
  })

  test('registration creates the account and signs in', async () => {
    await testServer({ ...open, 'POST /api/auth/register': () => ({ body: { user: aUser() } }) })
    renderSite('/about?signin', 'ask')
    await userEvent.click(await screen.findByRole('button', { name: 'Create an account' }))
    await enter({ Name: 'Aroha', Email: 'a@example.test', Password: 'long enough' }, 'Create the account')
    expect(await screen.findByText('Registration successful')).toBeTruthy()
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})

describe('signing out', () => {
  const signedIn = {
    'GET /api/auth/user': () => ({ body: { user: aUser({ name: 'Aroha' }), registration: 'closed' } }),
  }
  const openCard = async () => userEvent.click(await screen.findByRole('button', { name: /Aroha/ }))

  test('a failed sign-out shows a toast and changes nothing', async () => {
    await testServer({
      ...signedIn,
      'POST /api/auth/logout': () => ({ status: 500, body: { error: 'Not now.' } }),
    })
    const site = renderSite('/about', 'ask')
    await openCard()
    await userEvent.click((await panel()).getByRole('button', { name: 'Sign Out' }))
    expect(await screen.findByText('Logout failed')).toBeTruthy()
    expect(site.address()).toBe('/about')
    expect((await panel()).getByText('Aroha')).toBeTruthy()
  })

  test('sign-out navigates to the home page', async () => {
    await testServer({ ...signedIn, 'POST /api/auth/logout': () => ({ body: { success: true } }) })
    const site = renderSite('/about', 'ask')
    await openCard()
    expect((await panel()).queryByRole('link', { name: 'Manage' })).toBeNull()
    await userEvent.click((await panel()).getByRole('button', { name: 'Sign Out' }))
    expect(await screen.findByText('Logout successful')).toBeTruthy()
    await waitFor(() => expect(site.address()).toBe('/'))
    expect(screen.getAllByRole('button', { name: 'Sign In' }).length).toBeGreaterThan(0)
    expect(screen.queryByRole('dialog')).toBeNull()
  })
})
