import { aUser } from '@fellowship/schema/testing/builders'
import { renderHook, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderSite } from '../../testing/render-site.tsx'
import { useAuth } from './auth-context.tsx'

test('sends a signed-in person who is no administrator to the home page', async () => {
  const site = renderSite('/admin', aUser())
  await waitFor(() => expect(site.address()).toBe('/'))
})

test('sends strangers from /manage to the home page', async () => {
  const site = renderSite('/manage', null)
  await waitFor(() => expect(site.address()).toBe('/'))
})

test('tells a stranger at /admin to sign in, and leads to the login endpoint after 1.5 s', async () => {
  let leftAt = 0
  const leave = vi.spyOn(location, 'assign').mockImplementation(() => void (leftAt = performance.now()))
  const cameAt = performance.now()
  renderSite('/admin', null)
  expect(await screen.findByRole('heading', { name: 'Admin Panel' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Log In' }).getAttribute('href')).toBe('/')
  expect(await screen.findByText('Authentication Required')).toBeTruthy()
  const address: unknown = expect.stringMatching(/^\/api\/login\?return=/)
  await waitFor(() => expect(leave).toHaveBeenCalledExactlyOnceWith(address), { timeout: 10_000 })
  expect(leftAt - cameAt).toBeGreaterThanOrEqual(1_499)
})

test('shows a spinner, and nothing of the page, while the user is loading', async () => {
  const site = renderSite('/admin', 'loading')
  expect(await screen.findByText('Loading')).toBeTruthy()
  expect(screen.queryByRole('heading', { level: 1 })).toBeNull()
  await site.setUser(aUser({ role: 'admin' }))
  expect(await screen.findByRole('heading', { name: 'Administration' })).toBeTruthy()
})

test('calls useAuth outside its provider a programming error', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(() => renderHook(() => useAuth())).toThrow('useAuth must be used within an AuthProvider')
})
