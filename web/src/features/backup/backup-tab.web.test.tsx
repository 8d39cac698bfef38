import { backup } from '@fellowship/schema/backup/backup.contract'
import { render, screen } from '@testing-library/react'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { BackupTab } from './backup-tab.tsx'

afterEach(() => queryClient.clear())

test('where the past backups cannot be asked for, one can be made all the same', async () => {
  await testServer({
    [`GET ${backup.history.path}`]: () => ({ status: 503, body: { error: 'Away', code: 'unavailable' } }),
  })
  render(<BackupTab />)
  await screen.findByRole('button', { name: 'Create Manual Backup' })
})

test('the buttons come with what stands above them, and do not move down', async () => {
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
})
