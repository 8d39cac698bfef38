import { auditTexts } from '@fellowship/schema/audit/audit.texts'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { AuditLog } from './audit-log.admin.tsx'

afterEach(() => queryClient.clear())

const line = (id: number) => ({
  id,
  at: '2026-11-22T00:00:00.000Z',
  actor: 'Aroha',
  action: 'elder.updated',
  subject: `Elder ${id}`,
  details: {},
})
const page = (id: number, more: boolean) => ({
  body: { lines: [line(id)], more, areas: ['elder'], actors: ['Aroha'] },
})

test('shows an error when older lines fail to load', async () => {
  let away = true
  await testServer({}, ({ path }) => {
    if (!path.startsWith('/api/admin/audit')) return undefined
    if (!path.includes('before=')) return page(2, true)
    return away ? { status: 503, body: { error: 'Away', code: 'unavailable' } } : page(1, false)
  })
  render(<AuditLog />)
  await userEvent.click(await screen.findByRole('button', { name: 'Show older lines' }))
  expect((await screen.findByRole('alert')).textContent).toContain(auditTexts.loadFailed)
  expect(screen.getByText('Elder 2')).toBeTruthy()
  away = false
  await userEvent.click(screen.getByRole('button', { name: 'Show older lines' }))
  expect(await screen.findByText('Elder 1')).toBeTruthy()
  expect(screen.queryByRole('alert')).toBeNull()
})
