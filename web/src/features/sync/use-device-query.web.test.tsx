import 'fake-indexeddb/auto'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { useDeviceQuery } from './use-device-query.ts'

function Elders() {
  const count = useDeviceQuery(() => appDatabase().elders.count(), [], 0)
  return <p>{count} elders</p>
}

test('shows the last result while unreadable', async () => {
  const { elders } = appDatabase()
  await elders.add({ uid: 'a' } as never)
  render(<Elders />)
  await screen.findByText('1 elders')

  const lost = new DOMException('Connection to Indexed Database server lost', 'UnknownError')
  const reading = vi.spyOn(elders, 'count').mockImplementation(() => Promise.reject(lost) as never)
  await elders.add({ uid: 'b' } as never)
  await vi.waitFor(() => expect(reading).toHaveBeenCalled())
  expect(screen.getByText('1 elders')).toBeTruthy()

  reading.mockRestore()
  await screen.findByText('2 elders', undefined, { timeout: 5_000 })
})
