import { users } from '@fellowship/schema/users/users.contract'
import { aManagedUser } from '@fellowship/schema/testing/builders'
import { call } from '@fellowship/sync/call/call'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { testServer } from '../testing/test-server.ts'
import { dismissToast, toastStore } from '../ui/toast.ts'
import { adminMutation, adminQuery, refresh } from './admin-query.ts'
import { queryClient } from './query-client.ts'

const list = `GET ${users.list.path}`
const unlock = 'POST /api/admin/users/7/unlock'

const useUsers = adminQuery(users.list, { select: (all) => all.map(({ name }) => name) })
const useUnlock = adminMutation({
  call: (id: number) => call(users.unlock, { params: { id } }),
  success: ({ name }) => ({ title: 'Unlocked', description: name }),
  failure: 'Unlock failed',
  invalidates: [users.list],
})

function Screen() {
  const { data, error } = useUsers()
  const { mutate } = useUnlock()
  return (
    <>
      <p>{data?.join(', ') ?? (error ? 'no list' : 'loading')}</p>
      <button onClick={() => mutate(7)}>Unlock</button>
    </>
  )
}

const toast = () => {
  const shown = toastStore.snapshot()
  return shown?.open ? { title: shown.title, description: shown.description, kind: shown.kind } : undefined
}

afterEach(() => {
  queryClient.clear()
  const shown = toastStore.snapshot()
  if (shown) act(() => dismissToast(shown.id))
})

test('toasts a successful mutation and refreshes its list', async () => {
  let name = 'Mere'
  await testServer({
    [list]: () => ({ body: [aManagedUser({ name })] }),
    [unlock]: () => {
      name = 'Mere Smith'
      return { body: aManagedUser({ name }) }
    },
  })
  render(<Screen />)
  await screen.findByText('Mere')
  await userEvent.click(screen.getByRole('button', { name: 'Unlock' }))

  await screen.findByText('Mere Smith')
  expect(toast()).toEqual({ title: 'Unlocked', description: 'Mere Smith', kind: undefined })
})

test('toasts a failed mutation with the sentence of the server', async () => {
  await testServer({
    [list]: () => ({ body: [aManagedUser({ name: 'Mere' })] }),
    [unlock]: () => ({ status: 503, body: { error: 'Away for a moment', code: 'unavailable' } }),
  })
  render(<Screen />)
  await userEvent.click(screen.getByRole('button', { name: 'Unlock' }))

  await waitFor(() =>
    expect(toast()).toEqual({
      title: 'Unlock failed',
      description: 'Away for a moment',
      kind: 'destructive',
    }),
  )
})

test('leaves the sign-in toast after a session end', async () => {
  await testServer({
    [list]: () => ({ body: [aManagedUser({ name: 'Mere' })] }),
    [unlock]: () => ({ status: 401, body: { error: 'Unauthorized', code: 'unauthorized' } }),
  })
  render(<Screen />)
  await userEvent.click(screen.getByRole('button', { name: 'Unlock' }))

  await waitFor(() => expect(toast()?.title).toBe('Unauthorized'))
})

test('toasts a failed refresh and keeps the previous answer', async () => {
  let away = false
  await testServer({
    [list]: () =>
      away
        ? { status: 503, body: { error: 'Away for a moment', code: 'unavailable' } }
        : { body: [aManagedUser({ name: 'Mere' })] },
  })
  render(<Screen />)
  await screen.findByText('Mere')
  away = true
  await act(() => refresh(users.list, 'Failed to fetch users'))

  expect(toast()).toEqual({
    title: 'Failed to fetch users',
    description: 'Away for a moment',
    kind: 'destructive',
  })
  expect(screen.getByText('Mere')).toBeTruthy()
})

test('shows no toast for a refresh after a failed one', async () => {
  let away = true
  await testServer({
    [list]: () =>
      away ? { status: 503, body: { error: 'Away' } } : { body: [aManagedUser({ name: 'Mere' })] },
  })
  render(<Screen />)
  await screen.findByText('no list')
  away = false
  await act(() => refresh(users.list, 'Failed to fetch users'))

  await screen.findByText('Mere')
  expect(toast()).toBeUndefined()
})
