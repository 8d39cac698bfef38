import { aUser } from '@fellowship/schema/testing/builders'
import { renderHook, screen, waitFor } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { renderSite } from '../../testing/render-site.tsx'
import { useAuth } from './auth-context.tsx'

test('redirects a signed-in user without the admin role', async () => {
  const site = renderSite('/admin', aUser())
  await waitFor(() => expect(site.address()).toBe('/'))
})

test('redirects an anonymous visitor from /manage to the home page', async () => {
  const site = renderSite('/manage', null)
  await waitFor(() => expect(site.address()).toBe('/'))
})

test('redirects visitors of /admin to sign-in after 1.5 s', async () => {
  let leftAt = 0
  vi.spyOn(globalThis, 'fetch').mockResolvedValue(new Response(null))
  const leave = vi.spyOn(location, 'assign').mockImplementation(() => void (leftAt = performance.now()))
  const cameAt = performance.now()
  renderSite('/admin', null)
  // First, as the toast closes after five seconds.
  expect(await screen.findByText('Authentication Required')).toBeTruthy()
  expect(screen.getByRole('heading', { name: 'Admin Panel' })).toBeTruthy()
  expect(screen.getByRole('link', { name: 'Log In' }).getAttribute('href')).toBe('/')
  const address: unknown = expect.stringMatching(/^\/api\/login\?return=/)
  await waitFor(() => expect(leave).toHaveBeenCalledExactlyOnceWith(address))
  expect(leftAt - cameAt).toBeGreaterThanOrEqual(1_499)
})

test('continues at /admin when back online', async () => {
  const leave = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
  const ask = vi.spyOn(globalThis, 'fetch').mockRejectedValue(new TypeError('Failed to fetch'))
  renderSite('/admin', null)
  expect(await screen.findByText(/^You’re offline/)).toBeTruthy()
  expect(leave).not.toHaveBeenCalled()
  ask.mockResolvedValue(new Response(null))
  window.dispatchEvent(new Event('online'))
  await waitFor(() => expect(leave).toHaveBeenCalledOnce())
})

test('shows only a spinner while the user is loading', async () => {
  const site = renderSite('/admin', 'loading')
  expect(await screen.findByText('Loading')).toBeTruthy()
  expect(screen.queryByRole('heading', { level: 1 })).toBeNull()
  await site.setUser(aUser({ role: 'admin' }))
  expect(await screen.findByRole('heading', { name: 'Administration' })).toBeTruthy()
})

test('useAuth throws outside its provider', () => {
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  expect(() => renderHook(() => useAuth())).toThrow('useAuth must be used within an AuthProvider')
})
