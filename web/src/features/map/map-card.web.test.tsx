import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { renderSite } from '../../testing/render-site.tsx'
import { testServer } from '../../testing/test-server.ts'

// The error that a browser throws when a module fails to load.
vi.mock('./navigate-dialog.tsx', () => ({
  NavigateDialog: () => {
    throw new TypeError('Failed to fetch dynamically imported module')
  },
}))

test('toasts when the directions dialog fails to load', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  vi.spyOn(console, 'error').mockImplementation(() => undefined)
  await testServer({})
  renderSite('/')
  await userEvent.click(await screen.findByRole('button', { name: 'Get directions' }))
  expect(await screen.findByText('No connection')).toBeTruthy()
  expect(screen.getByRole('button', { name: 'Get directions' })).toBeTruthy()
  expect(screen.queryByText('Something went wrong')).toBeNull()
})
