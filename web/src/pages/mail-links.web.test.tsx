import { authTexts } from '@fellowship/schema/auth/auth.texts'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

const expired = 'This link has expired. Ask for a new one.'
const onlyFresh = ({ body }: { body: string }) =>
  body.includes('fresh')
    ? { body: { success: true } }
    : { status: 400, body: { error: expired, code: 'validation' } }

async function press(name: string) {
  await userEvent.click(await screen.findByRole('button', { name }))
}

test('the requested link works in the same tab', async () => {
  await testServer({
    'POST /api/auth/forgot-password': () => ({ body: { success: true } }),
    'POST /api/auth/reset-password': onlyFresh,
  })
  const site = renderSite('/reset-password#stale')
  await userEvent.type(await screen.findByLabelText('New password'), 'A good one 1')
  await press('Save the new password')
  await waitFor(() => expect(screen.getByRole('alert').textContent).toBe(expired))
  await press('Ask for a new link')
  await userEvent.type(await screen.findByLabelText('Email'), 'aroha@example.test')
  await press('Send me a link')
  await screen.findByText(authTexts.resetAsked.title)

  await site.goTo('/reset-password#fresh')
  await userEvent.type(await screen.findByLabelText('New password'), 'A good one 1')
  await press('Save the new password')
  await waitFor(() => expect(site.address()).toMatch(/^\/\?signin/))
})

test('a newer link replaces the old one in its tab', async () => {
  const asked = await testServer({ 'POST /api/auth/reset-password': onlyFresh })
  const site = renderSite('/reset-password#stale')
  await screen.findByLabelText('New password')
  await site.goTo('/reset-password#fresh')
  await userEvent.type(await screen.findByLabelText('New password'), 'A good one 1')
  await press('Save the new password')
  await waitFor(() => expect(site.address()).toMatch(/^\/\?signin/))
  expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(1)
})

test('a second confirmation link asks again', async () => {
  await testServer({ 'POST /api/auth/verify-email': () => ({ body: { success: true } }) })
  const site = renderSite('/verify-email#one')
  await press('Confirm')
  await screen.findByText(authTexts.emailVerified)
  await site.goTo('/verify-email#two')
  expect(await screen.findByRole('button', { name: 'Confirm' })).toBeTruthy()
})
