import { aTeaching } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { deviceQueues } from '@fellowship/sync/client/device-queues'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { Toaster } from '../../ui/toaster.tsx'
import { keyOfText, readKept } from '../transcripts/waiting-texts.ts'
import { DeleteTeachingDialog, EditTeachingDialog } from './teaching-dialogs.tsx'

const teaching = aTeaching({ id: 5, rev: 12, title: 'Hope_in_Christ' })
const update = 'PUT /api/teachings/5'
const text = `PUT /api/teachings/5/transcript?uid=${aTeaching().uid}`
const remove = `DELETE /api/teachings/5?baseRev=12&uid=${aTeaching().uid}`
const refused = (status: number, error: string, code?: string) => () => ({ status, body: { error, code } })

async function show(dialog: 'edit' | 'delete') {
  const onClose = vi.fn()
  const Shown = dialog === 'edit' ? EditTeachingDialog : DeleteTeachingDialog
  render(
    <SignedIn>
      <Shown teaching={teaching} onClose={onClose} />
      <Toaster />
    </SignedIn>,
  )
  await screen.findByRole('dialog')
  return onClose
}
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)
const changeSpeaker = () => fireEvent.change(field('Speaker'), { target: { value: 'Jane Smith' } })
const chooseText = async () =>
  userEvent.upload(
    await screen.findByLabelText<HTMLInputElement>(/^Text of the recording/),
    new File(['Grace.'], 'talk.txt'),
  )
const outbox = () => appDatabase().outbox.toArray()

afterEach(async () => {
  // Each test starts signed out, without drafts, and with an empty outbox.
  localStorage.clear()
  deviceQueues().setUser(undefined)
  await appDatabase().outbox.clear()
})

describe('Edit Sermon', () => {
  test.each(['Title', 'Speaker', 'Date'])('Update is disabled without %s', async (label) => {
    await show('edit')
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Update' })
    expect(button.disabled).toBe(false)
    fireEvent.change(field(label), { target: { value: label === 'Date' ? '' : '  ' } })
    expect(button.disabled).toBe(true)
  })

  test('shows why the server refuses a text', async () => {
    await testServer({ [text]: refused(404, 'This teaching was already deleted.', 'not_found') })
    const onClose = await show('edit')
    await chooseText()
    await press('Update')
    expect(await screen.findByText('This teaching was already deleted.')).toBeTruthy()
    expect([onClose.mock.calls, await outbox()]).toEqual([[], []])
  })

  test('stores a text without a connection', async () => {
    await testServer({ [text]: () => ({ status: 502, body: '<html>' }) })
    await show('edit')
    await chooseText()
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('offline')))
    await press('Update')
    await waitFor(() =>
      expect(readKept(keyOfText(7, teaching.uid))).toMatchObject({
        waitsFor: 5,
        sentences: [{ text: 'Grace.' }],
      }),
    )
    vi.unstubAllGlobals()
  })

  test('closes when the edit is queued', async () => {
    await testServer({ [update]: refused(400, 'The title is too long.', 'invalid_input') })
    const onClose = await show('edit')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('Failed to update sermon')).toBeTruthy()
    expect(screen.getByText('Error')).toBeTruthy()
    expect(onClose).toHaveBeenCalledOnce()
    expect(await outbox()).toMatchObject([{ state: 'rejected', patch: { speaker: 'Jane Smith' } }])
  })

  test('asks before an edit moves a teaching far ahead', async () => {
    await testServer({ [update]: refused(503, 'Not now.', 'unavailable') })
    await show('edit')
    fireEvent.change(field('Date'), { target: { value: '2062-11-15' } })
    await press('Update')
    await screen.findByText('This date is more than a day ahead: 15 November 2062. Publish anyway?')
    expect(await outbox()).toEqual([])
    await press('Publish')
    await waitFor(async () => expect(await outbox()).toMatchObject([{ patch: { date: '2062-11-15' } }]))
  })

  test('a 503 leaves the edit queued with a toast', async () => {
    await testServer({ [update]: refused(503, 'Not now', 'unavailable') })
    await show('edit')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('Saved on this device, will be sent')).toBeTruthy()
    expect(await outbox()).toMatchObject([{ state: 'queued', attempts: 1, ownerUserId: 7 }])
  })

  test('a 401 redirects to sign-in', async () => {
    const leave = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
    await testServer({ [update]: refused(401, 'Unauthorized', 'unauthorized') })
    const onClose = vi.fn()
    const { unmount } = render(
      <SignedIn>
        <EditTeachingDialog teaching={teaching} onClose={() => (onClose(), unmountDialog())} />
      </SignedIn>,
    )
    const unmountDialog = unmount
    render(<Toaster />)
    await screen.findByRole('dialog')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('You are logged out. Logging in again...')).toBeTruthy()
    await waitFor(() => expect(leave).toHaveBeenCalledExactlyOnceWith('/api/login?return=%2F'))
    expect(await outbox()).toMatchObject([{ state: 'blocked_auth', patch: { speaker: 'Jane Smith' } }])
  })

  test('sends the edit once, with base revision and unchanged title', async () => {
    const received = await testServer({ [update]: () => ({ body: teaching }) })
    const onClose = await show('edit')
    expect(field('Title').value).toBe('Hope in Christ')
    changeSpeaker()
    await press('Update')
    expect(await screen.findByText('Teaching updated successfully')).toBeTruthy()
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    const sent = received.find(({ method }) => method === 'PUT')!
    expect(sent.headers).toMatchObject({
      'x-csrf-token': 'token',
      'x-acting-user': '7',
      'idempotency-key': expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
    })
    const part = (name: string, value: string) => new RegExp(`name="${name}"\\r\\n\\r\\n${value}\\r\\n`)
    expect(sent.body).toMatch(part('title', 'Hope_in_Christ'))
    expect(sent.body).toMatch(part('speaker', 'Jane Smith'))
    expect(sent.body).toMatch(part('baseRev', '12'))
    expect(await outbox()).toEqual([])
  })
})

describe('deleting', () => {
  test('Cancel deletes nothing', async () => {
    const received = await testServer({ [remove]: () => ({ body: { success: true, rev: 13 } }) })
    const onClose = await show('delete')
    await press('Cancel')
    expect(onClose).toHaveBeenCalledOnce()
    // Pulls may run in the background, changes may not.
    expect(received.filter(({ method }) => method !== 'GET')).toEqual([])
    expect(await outbox()).toEqual([])
  })

  test.each([
    ['present', () => ({ body: { success: true, rev: 13 } })],
    ['already deleted', refused(404, 'Not found', 'not_found')],
  ])('deletes a teaching that is %s on the server', async (_, answer) => {
    await testServer({ [remove]: answer })
    const onClose = await show('delete')
    await press('Delete')
    expect(await screen.findByText('Teaching Deleted')).toBeTruthy()
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  })
})
