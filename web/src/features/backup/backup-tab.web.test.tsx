import { backup } from '@fellowship/schema/backup/backup.contract'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { BackupTab } from './backup-tab.admin.tsx'

afterEach(() => queryClient.clear())

test('starts a backup although the history fails to load', async () => {
  const away = () => ({ status: 503, body: { error: 'Away for a moment', code: 'unavailable' } })
  const received = await testServer({
    [`GET ${backup.history.path}`]: away,
    [`POST ${backup.prepare.path}`]: away,
  })
  render(<BackupTab />)
  const button = await screen.findByRole('button', { name: 'Create Manual Backup' })
  await userEvent.click(button)
  const asked = () => received.map(({ method, path }) => `${method} ${path}`)
  // A failed backup refetches the past ones.
  await expect
    .poll(asked)
    .toEqual([`GET ${backup.history.path}`, `POST ${backup.prepare.path}`, `GET ${backup.history.path}`])
  expect(button.isConnected).toBe(true)
})

test('the buttons wait for the part above them', async () => {
  let arrive: () => void = () => undefined
  const arrival = new Promise<void>((resolve) => (arrive = resolve))
  const history = {
    backups: [],
    lastCompleteAt: null,
    ageDays: null,
    overdue: true,
    secretsSealed: false,
    weekly: { folder: null, keep: 4, nextAt: null },
    daily: { folder: '/data/backups', keep: 14, lastAt: null },
  }
  const received = await testServer({
    [`GET ${backup.history.path}`]: () => arrival.then(() => ({ body: history })),
  })
  render(<BackupTab />)
  await expect.poll(() => received.length).toBe(1)
  expect(screen.queryByRole('button')).toBeNull()
  arrive()
  await screen.findByRole('button', { name: 'Create Manual Backup' })
  screen.getByText('Time for a backup')
  await waitFor(() => expect(queryClient.isFetching()).toBe(0))
  expect(received).toHaveLength(1)
})
