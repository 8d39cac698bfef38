import { aTeaching } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, it, vi } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { Toaster } from '../../ui/toaster.tsx'
import { DeleteTeachingDialog } from './delete-teaching-dialog.tsx'
import { EditTeachingDialog } from './edit-teaching-dialog.tsx'

const teaching = aTeaching({ id: 5, rev: 12, title: 'Hope_in_Christ' })
const update = 'PUT /api/teachings/5'
const remove = 'DELETE /api/teachings/5'
const refused = (status: number, error: string, code?: string) => () => ({ status, body: { error, code } })

function show(dialog: 'edit' | 'delete') {
  const onClose = vi.fn()
  const Shown = dialog === 'edit' ? EditTeachingDialog : DeleteTeachingDialog
  render(
    <>
      <Shown teaching={teaching} onClose={onClose} />
      <Toaster />
    </>,
  )
  return onClose
}
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const field = (label: string) => screen.getByLabelText<HTMLInputElement>(label)

describe('Edit Sermon', () => {
  it.each(['Title', 'Speaker', 'Date'])('cannot update without %s', (label) => {
    show('edit')
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Update' })
    expect(button.disabled).toBe(false)
    fireEvent.change(field(label), { target: { value: label === 'Date' ? '' : '  ' } })
    expect(button.disabled).toBe(true)
  })

  it('says that it failed, and why, and stays', async () => {
    await testServer({
      [update]: refused(409, 'This teaching was changed by someone else.', 'revision_conflict'),
    })
    const onClose = show('edit')
    await press('Update')
    expect(await screen.findByText('Failed to update sermon')).toBeTruthy()
    expect(screen.getByText('Error')).toBeTruthy()
    expect(screen.getByText('This teaching was changed by someone else.')).toBeTruthy()
    expect(onClose).not.toHaveBeenCalled()
  })

  it('leads a signed-out person to the sign-in after half a second', async () => {
    const leave = vi.spyOn(location, 'assign').mockImplementation(() => undefined)
    await testServer({ [update]: refused(401, 'Unauthorized', 'unauthorized') })
    show('edit')
    await press('Update')
    expect(await screen.findByText('You are logged out. Logging in again...')).toBeTruthy()
    expect(leave).not.toHaveBeenCalled()
    await waitFor(() => expect(leave).toHaveBeenCalledExactlyOnceWith('/api/login?return=%2F'))
  })

  it('sends what was changed, the revision it came from, and leaves an untouched title as it was', async () => {
    const asked = await testServer({ [update]: () => ({ body: teaching }) })
    const onClose = show('edit')
    expect(field('Title').value).toBe('Hope in Christ')
    fireEvent.change(field('Speaker'), { target: { value: 'Jane Smith' } })
    await press('Update')
    expect(await screen.findByText('Teaching updated successfully')).toBeTruthy()
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
    const sent = asked.find(({ method }) => method === 'PUT')!
    expect(sent.headers['x-csrf-token']).toBe('token')
    const part = (name: string, value: string) => new RegExp(`name="${name}"\\r\\n\\r\\n${value}\\r\\n`)
    expect(sent.body).toMatch(part('_csrf', 'token'))
    expect(sent.body).toMatch(part('title', 'Hope_in_Christ'))
    expect(sent.body).toMatch(part('speaker', 'Jane Smith'))
    expect(sent.body).toMatch(part('baseRev', '12'))
    expect(sent.body).not.toContain('audioFile')
  })
})

describe('deleting', () => {
  it('asks in the words of the product', () => {
    show('delete')
    expect(
      screen.getByText('Are you sure you want to delete this teaching? This action cannot be undone.'),
    ).toBeTruthy()
  })

  it('does nothing when one thinks better of it', async () => {
    const asked = await testServer({ [remove]: () => ({ body: { success: true } }) })
    const onClose = show('delete')
    await press('Cancel')
    expect(onClose).toHaveBeenCalledOnce()
    // Reading goes on in the background; what must not happen is a change.
    expect(asked.filter(({ method }) => method !== 'GET')).toEqual([])
  })

  it('says that it failed', async () => {
    await testServer({ [remove]: refused(500, 'Something went wrong') })
    show('delete')
    await press('Delete')
    expect(await screen.findByText('Failed to delete teaching')).toBeTruthy()
  })

  it.each([
    ['there', () => ({ body: { success: true } })],
    ['gone already', refused(404, 'Not found', 'not_found')],
  ])('deletes one that is %s', async (_, answer) => {
    await testServer({ [remove]: answer })
    const onClose = show('delete')
    await press('Delete')
    expect(await screen.findByText('Teaching Deleted')).toBeTruthy()
    await waitFor(() => expect(onClose).toHaveBeenCalledOnce())
  })
})
