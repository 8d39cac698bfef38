import { noVisitDetails } from '@fellowship/schema/visit/visit.texts'
import type { VisitDetails } from '@fellowship/schema/visit/visit.contract'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, onTestFinished, test } from 'vitest'
import { renderFrom } from '../../boot/prerender-data.ts'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { toastStore } from '../../ui/toast.ts'
import { VisitManagement } from './visit-management.admin.tsx'
import { VisitSection } from './visit-section.tsx'

afterEach(() => {
  queryClient.clear()
  localStorage.clear()
})

const filled: VisitDetails = {
  expect: 'About 90 minutes.\nCome as you are.',
  forChildren: '',
  parking: 'Behind the hall.',
  phone: '06 322 1234',
}
const serve = (details: VisitDetails) => testServer({ 'GET /api/visit': () => ({ body: details }) })
/** Applies changes as the server does. */
async function serveChanging() {
  const kept = { ...filled }
  const received = await testServer({
    'GET /api/visit': () => ({ body: kept }),
    'PUT /api/visit': ({ body }) => ({
      body: Object.assign(kept, JSON.parse(body) as Partial<VisitDetails>),
    }),
  })
  const sent = () =>
    received.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body) as unknown)
  return { kept, sent }
}
const section = () => screen.findByRole('region', { name: 'Plan Your Visit' })
const labels = async () => [...(await section()).querySelectorAll('dt')].map((label) => label.textContent)

describe('on Home', () => {
  test('shows only filled-in details', async () => {
    await serve(filled)
    render(<VisitSection className="" />)
    expect(await labels()).toEqual(['What to expect', 'Parking', 'Phone'])
    expect(screen.getByRole('link', { name: '06 322 1234' }).getAttribute('href')).toBe('tel:063221234')
  })

  test('shows nothing if no details are filled in', async () => {
    const received = await serve(noVisitDetails)
    render(<VisitSection className="" />)
    await waitFor(() => expect(received).toHaveLength(1))
    expect(screen.queryByRole('region')).toBeNull()
  })

  test('shows the stored details while offline', async () => {
    await serve(filled)
    const { unmount } = render(<VisitSection className="" />)
    await section()
    unmount()
    await testServer({
      'GET /api/visit': () => ({ status: 503, body: { error: 'Away', code: 'unavailable' } }),
    })
    render(<VisitSection className="" />)
    expect(await labels()).toEqual(['What to expect', 'Parking', 'Phone'])
  })
})

test('a lost connection does not hide prerendered details', async () => {
  await serve(noVisitDetails)
  const { unmount } = render(<VisitSection className="" />)
  await waitFor(() => expect(localStorage.length).toBe(1))
  unmount()
  renderFrom({ elders: [], teachings: [], visit: filled })
  onTestFinished(() => renderFrom({ elders: [], teachings: [] }))
  const received = await testServer({
    'GET /api/visit': () => ({ status: 503, body: { error: 'Away', code: 'unavailable' } }),
  })
  render(<VisitSection className="" />)
  await waitFor(() => expect(received).toHaveLength(1))
  await act(() => new Promise((resolve) => setTimeout(resolve, 50)))
  expect(await labels()).toEqual(['What to expect', 'Parking', 'Phone'])
})

let people = 0
const showForm = (id = (people += 1)) =>
  render(
    <SignedIn user={{ id, name: 'Mere', email: 'mere@example.org', role: 'admin' }}>
      <VisitManagement />
    </SignedIn>,
  )
const asksBeforeLeaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))
const textOf = (label: string) => (screen.getByLabelText(label) as HTMLTextAreaElement).value

describe('the form', () => {
  test('rejects an invalid phone number and sends nothing', async () => {
    const received = await serve(filled)
    showForm()
    await userEvent.clear(await screen.findByLabelText('Phone'))
    await userEvent.type(screen.getByLabelText('Phone'), 'ask Ruth')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    expect(await screen.findByText(/^Phone must be a number/)).toBeTruthy()
    expect(received.filter(({ method }) => method === 'PUT')).toEqual([])
  })

  test('sends only the changed text', async () => {
    const { sent } = await serveChanging()
    showForm()
    await userEvent.type(await screen.findByLabelText('Children'), 'With us.')
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(toastStore.snapshot()?.title).toBe('Visit Details Updated'))
    expect(sent()).toEqual([{ forChildren: 'With us.' }])
  })

  test('restores unsaved changes when its author returns', async () => {
    const { kept, sent } = await serveChanging()
    const { unmount } = showForm(7)
    await userEvent.type(await screen.findByLabelText('Children'), 'With us.')
    expect(asksBeforeLeaving()).toBe(true)
    unmount()
    // Another administrator has saved another text since.
    kept.parking = 'In front of the hall.'
    showForm(7)
    await screen.findByDisplayValue('With us.')
    expect(textOf('Parking')).toBe('In front of the hall.')
    expect(asksBeforeLeaving()).toBe(true)
    await userEvent.click(screen.getByRole('button', { name: 'Save' }))
    await waitFor(() => expect(asksBeforeLeaving()).toBe(false))
    expect(sent()).toEqual([{ forChildren: 'With us.' }])
  })

  test('shows no unsaved change to another person', async () => {
    await serve(filled)
    const { unmount } = showForm(8)
    await userEvent.type(await screen.findByLabelText('Children'), 'With us.')
    unmount()
    const other = showForm(9)
    expect(((await screen.findByLabelText('Children')) as HTMLTextAreaElement).value).toBe('')
    other.unmount()
    showForm(8)
    expect(((await screen.findByLabelText('Children')) as HTMLTextAreaElement).value).toBe('')
  })
})
