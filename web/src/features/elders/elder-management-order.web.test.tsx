import { placedAt } from '@fellowship/schema/elders/display-order'
import { anElder } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import { expect, test } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { ElderManagement } from './elder-management.admin.tsx'

const names = () => screen.getAllByRole('heading', { level: 3 }).map(({ textContent }) => textContent)
const press = (name: string, key: string) =>
  fireEvent.keyDown(screen.getByRole('button', { name: new RegExp(`^Reorder ${name}`) }), { key })
/** Whether the browser would ask before the page is left. */
const asksBeforeLeaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))

/** Three elders on a server that answers a move when the test releases it. */
async function showElders() {
  let rows = ['Ana', 'Ben', 'Col'].map((name, at) =>
    anElder({ id: at + 1, uid: crypto.randomUUID(), name, displayOrder: at }),
  )
  const waiting: ((isTaken: boolean) => void)[] = []
  const move = (id: number) => async (request: { body: string }) => {
    const isTaken = await new Promise<boolean>((resolve) => waiting.push(resolve))
    if (!isTaken) return { status: 503, body: { error: 'Busy', code: 'unavailable' } }
    rows = placedAt(rows, id, (JSON.parse(request.body) as { displayOrder: number }).displayOrder)
    return { body: rows.find((row) => row.id === id) }
  }
  await testServer({
    'GET /api/elders': () => ({ body: rows }),
    ...Object.fromEntries(rows.map(({ id }) => [`PUT /api/elders/${id}`, move(id)])),
  })
  render(<ElderManagement />)
  await screen.findByText('Ana')
  const arrived = () => waitFor(() => expect(waiting).toHaveLength(1))
  return {
    arrived,
    answer: async (isTaken: boolean) => {
      await arrived()
      waiting.shift()!(isTaken)
    },
  }
}

test('asks before leaving while a move is pending', async () => {
  const { arrived, answer } = await showElders()
  expect(asksBeforeLeaving()).toBe(false)

  press('Ana', 'ArrowDown')
  await waitFor(() => expect(names()).toEqual(['Ben', 'Ana', 'Col']))
  press('Col', 'ArrowUp')
  await waitFor(() => expect(names()).toEqual(['Ben', 'Col', 'Ana']))
  await answer(true)
  // The second move is sent after the first was answered, though the screen shows both from the start.
  await arrived()
  expect(asksBeforeLeaving()).toBe(true)
  await answer(false)
  await waitFor(() => expect(asksBeforeLeaving()).toBe(false))
  await waitFor(() => expect(names()).toEqual(['Ben', 'Ana', 'Col']))

  press('Col', 'ArrowUp')
  await answer(true)
  await waitFor(() => expect(asksBeforeLeaving()).toBe(false))
  expect(names()).toEqual(['Ben', 'Col', 'Ana'])
})
