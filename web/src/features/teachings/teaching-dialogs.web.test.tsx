import { aTeaching } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { appDatabase } from '@fellowship/sync/client/database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { Toaster } from '../../ui/toaster.tsx'
import { AuthProvider } from '../auth/auth-context.tsx'
import type { WatchCurrentUser } from '../auth/auth-state.ts'
import { DeleteTeachingDialog } from './delete-teaching-dialog.tsx'
import { EditTeachingDialog } from './edit-teaching-dialog.tsx'

const teaching = aTeaching({ id: 5, rev: 12, title: 'Hope_in_Christ' })
const update = 'PUT /api/teachings/5'
const remove = 'DELETE /api/teachings/5?baseRev=12'
const refused = (status: number, error: string, code?: string) => () => ({ status, body: { error, code } })

const member = { id: 7, name: 'Mere', email: 'mere@example.org', role: 'user' as const }
const signedIn = async (): Promise<WatchCurrentUser> => (onChange) => {
  onChange({ status: 'known', user: member, registrationOpen: false })
  return () => undefined
}

async function show(dialog: 'edit' | 'delete') {
  const onClose = vi.fn()
  const Shown = dialog === 'edit' ? EditTeachingDialog : DeleteTeachingDialog
  render(
    <AuthProvider load={signedIn}>
      <Shown teaching={teaching} onClose={onClose} />
      <Toaster />
    </AuthProvider>,
  )
  await screen.findByRole('dialog')
  return onClose
}
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const changeSpeaker = () => fireEvent.change(field('Speaker'), { target: { value: 'Jane Smith' } })
const waiting = () => appDatabase().outbox.toArray()

afterEach(async () => {
  // Nobody is signed in between the tests, and nothing waits.
  deviceQueues().setUser(undefined)
  await appDatabase().outbox.clear()
})

describe('Edit Sermon', () => {
  test.each(['Title', 'Speaker', 'Date'])('cannot update without %s', async (label) => {
    await show('edit')
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Update' })
    expect(button.disabled).toBe(false)
    fireEvent.change(field(label), { target: { value: label === 'Date' ? '' : '  ' } })
    expect(button.disabled).toBe(true)
  })

  test('closes when it is kept, says that it failed, and keeps what was written', async () => {
    await testServer({ [update]: refused(400, 'The title is too long.', 'invalid_input') })
    const onClose = await show('edit')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('Failed to update sermon')).toBeTruthy()
    expect(screen.getByText('Error')).toBeTruthy()
    expect(onClose).toHaveBeenCalledOnce()
    expect(await waiting()).toMatchObject([{ state: 'rejected', patch: { speaker: 'Jane Smith' } }])
  })

  test('says that it waits where the server does not answer', async () => {
    await testServer({ [update]: refused(503, 'Not now', 'unavailable') })
    await show('edit')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('Saved on this device, will be sent')).toBeTruthy()
    expect(await waiting()).toMatchObject([{ state: 'queued', attempts: 1, ownerUserId: 7 }])
  })

  test('leads a signed-out person to the sign-in after half a second, and keeps the change', async () => {
    const leave = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
    await testServer({ [update]: refused(401, 'Unauthorized', 'unauthorized') })
    const onClose = vi.fn()
    const { unmount } = render(
      <AuthProvider load={signedIn}>
        <EditTeachingDialog teaching={teaching} onClose={() => (onClose(), unmountDialog())} />
      </AuthProvider>,
    )
    const unmountDialog = unmount
    render(<Toaster />)
    await screen.findByRole('dialog')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('You are logged out. Logging in again...')).toBeTruthy()
    await waitFor(() => expect(leave).toHaveBeenCalledExactlyOnceWith('/api/login?return=%2F'))
    expect(await waiting()).toMatchObject([{ state: 'blocked_auth', patch: { speaker: 'Jane Smith' } }])
  })

  test('sends what was changed, once, with the revision it came from, and leaves an untouched title as it was', async () => {
    const asked = await testServer({ [update]: () => ({ body: teaching }) })
    const onClose = await show('edit')
    expect(field('Title').value).toBe('Hope in Christ')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('Teaching updated successfully')).toBeTruthy()
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    const sent = asked.find(({ method }) => method === 'PUT')!
    expect(sent.headers).toMatchObject({
      'x-csrf-token': 'token',
      'x-acting-user': '7',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    })
    const part = (name: string, value: string) => new RegExp(`name="${name}"\\r\\n\\r\\n${value}\\r\\n`)
    expect(sent.body).toMatch(part('title', 'Hope_in_Christ'))
    expect(sent.body).toMatch(part('speaker', 'Jane Smith'))
    expect(sent.body).toMatch(part('baseRev', '12'))
    expect(await waiting()).toEqual([])
  })
})

describe('deleting', () => {
  test('asks in the words of the product', async () => {
    await show('delete')
    expect(
      screen.getByText('Are you sure you want to delete this teaching? This action cannot be undone.'),
    ).toBeTruthy()
  })

  test('does nothing when one thinks better of it', async () => {
    const asked = await testServer({ [remove]: () => ({ body: { success: true, rev: 13 } }) })
    const onClose = await show('delete')
    await press('Cancel')
    expect(onClose).toHaveBeenCalledOnce()
    // Reading goes on in the background; what must not happen is a change.
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(await waiting()).toEqual([])
  })

  test('says that it failed', async () => {
    await testServer({ [remove]: refused(400, 'Not like this', 'invalid_input') })
    await show('delete')
    await press('Delete')
    expect(await screen.findByText('Failed to delete teaching')).toBeTruthy()
  })

  test.each([
    ['there', () => ({ body: { success: true, rev: 13 } })],
    ['gone already', refused(404, 'Not found', 'not_found')],
  ])('deletes one that is %s', async (_, answer) => {
    await testServer({ [remove]: answer })
    const onClose = await show('delete')
    await press('Delete')
    expect(await screen.findByText('Teaching Deleted')).toBeTruthy()
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  })
})
