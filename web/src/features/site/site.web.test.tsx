import { church, setChurch } from '@fellowship/schema/church'
import type { Site, SiteChanges, SiteFields } from '@fellowship/schema/site/site.contract'
import { siteTexts, type VisitName } from '@fellowship/schema/site/site.texts'
import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { testServer } from '../../testing/test-server.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { toastStore } from '../../ui/toast.ts'
import { VisitSection } from '../visit/visit-section.tsx'
import { SiteManagement } from './site-management.admin.tsx'

afterEach(() => {
  queryClient.clear()
  localStorage.clear()
})

const filled: Pick<SiteFields, VisitName> = {
  expect: 'About 90 minutes.\nCome as you are.',
  forChildren: '',
  parking: 'Behind the hall.',
  phone: '06 322 1234',
}
const serve = (texts: Partial<SiteFields>) =>
  testServer({ 'GET /api/site': () => ({ body: { ...church(), ...texts } }) })
/** Applies changes as the server does. */
async function serveChanging() {
  const kept: Site = { ...church(), ...filled, rev: 5 }
  const received = await testServer({
    'GET /api/site': () => ({ body: kept }),
    'PUT /api/site': ({ body }) => {
      const { baseRev, ...changes } = JSON.parse(body) as SiteChanges & { baseRev: number }
      if (baseRev < kept.rev) {
        const refusal = { success: false, code: 'revision_conflict', error: siteTexts.changed, current: kept }
        return { status: 409, body: refusal }
      }
      return { body: Object.assign(kept, changes, { rev: kept.rev + 1 }) }
    },
  })
  /** What another administrator saves meanwhile. */
  const changeElsewhere = (changes: SiteChanges) => Object.assign(kept, changes, { rev: kept.rev + 1 })
  const sent = () =>
    received.filter(({ method }) => method === 'PUT').map(({ body }) => JSON.parse(body) as unknown)
  return { kept, sent, changeElsewhere }
}

test('Home shows the filled-in texts for a first visit', () => {
  const { container } = render(<VisitSection className="" />)
  expect(container.textContent).toBe('')
  act(() => setChurch({ ...church(), ...filled }))
  const labels = [...container.querySelectorAll('dt')].map((label) => label.textContent)
  expect(labels).toEqual(['What to expect', 'Parking', 'Phone'])
  expect(screen.getByRole('link', { name: '06 322 1234' }).getAttribute('href')).toBe('tel:063221234')
})

let people = 0
const showForm = (id = (people += 1)) =>
  render(
    <SignedIn user={{ id, name: 'Mere', email: 'mere@example.org', role: 'admin' }}>
      <SiteManagement />
    </SignedIn>,
  )
const asksBeforeLeaving = () => !dispatchEvent(new Event('beforeunload', { cancelable: true }))
const textOf = (label: string) => (screen.getByLabelText(label) as HTMLTextAreaElement).value

const group = (name: string) => within(screen.getByRole('region', { name }))
const save = (name: string) => userEvent.click(group(name).getByRole('button', { name: 'Save' }))

describe('the form', () => {
  test('rejects invalid fields and sends nothing', async () => {
    const received = await serve(filled)
    showForm()
    await userEvent.clear(await screen.findByLabelText(/^Phone/))
    await userEvent.type(screen.getByLabelText(/^Phone/), 'ask Ruth')
    await save('Contact')
    expect(await screen.findByText(/^Phone must be a number/)).toBeTruthy()
    await userEvent.clear(screen.getByLabelText('Coordinates'))
    await userEvent.type(screen.getByLabelText('Coordinates'), 'near the river')
    await save('Place')
    expect(await screen.findByText(siteTexts.coordinatesInvalid)).toBeTruthy()
    expect(received.filter(({ method }) => method === 'PUT')).toEqual([])
  })

  test('asks whose change to take of a field that two changed', async () => {
    const { kept, sent, changeElsewhere } = await serveChanging()
    showForm()
    await userEvent.type(await screen.findByLabelText('Children'), 'With us.')
    await userEvent.type(screen.getByLabelText('Parking'), ' Or in the street.')
    changeElsewhere({ parking: 'In front of the hall.', name: 'Grace Church' })
    await save('Plan Your Visit')
    await userEvent.click(await screen.findByLabelText('Theirs: In front of the hall.'))
    await save('Plan Your Visit')
    await waitFor(() => expect(toastStore.snapshot()?.title).toBe('Site Updated'))
    expect(sent()).toHaveLength(2)
    expect(kept).toMatchObject({ forChildren: 'With us.', parking: 'In front of the hall.', rev: 7 })
    await waitFor(() => expect(textOf('Parking')).toBe('In front of the hall.'))
  })

  test('saves over a change of other fields', async () => {
    const { kept, changeElsewhere } = await serveChanging()
    showForm()
    await userEvent.type(await screen.findByLabelText('Children'), 'With us.')
    // As a database returns the parts of a field.
    const { street, ...parts } = church().address
    changeElsewhere({ parking: 'In front of the hall.', address: { ...parts, street } })
    await userEvent.type(screen.getByLabelText('Town'), ' Village')
    await save('Place')
    await waitFor(() => expect(kept.address.locality).toMatch(/Village$/))
    await save('Plan Your Visit')
    await waitFor(() => expect(kept.forChildren).toBe('With us.'))
    expect(kept.parking).toBe('In front of the hall.')
  })

  test('adds, orders and removes services by the keyboard', async () => {
    const { kept } = await serveChanging()
    showForm()
    const add = await screen.findByRole('button', { name: 'Add service' })
    add.focus()
    await userEvent.keyboard('{Enter}{Enter}')
    const services = group('Services')
    await userEvent.selectOptions(services.getAllByLabelText('Day')[1]!, 'Wednesday')
    services.getByRole('button', { name: 'Move service 2 up' }).focus()
    await userEvent.keyboard('{Enter}')
    await userEvent.type(services.getAllByLabelText('Words')[1]!, ', in the hall')
    await save('Services')
    await waitFor(() =>
      expect(kept.services).toEqual([
        { weekday: 'Wednesday', time: '18:30', words: 'Every Wednesday at 6:30 PM' },
        { weekday: 'Sunday', time: '10:00', words: 'Every Sunday at 10:00 AM, in the hall' },
      ]),
    )
  })

  test('restores unsaved changes when its author returns', async () => {
    const { sent, changeElsewhere } = await serveChanging()
    const { unmount } = showForm(7)
    await userEvent.type(await screen.findByLabelText('Children'), 'With us.')
    expect(asksBeforeLeaving()).toBe(true)
    unmount()
    changeElsewhere({ parking: 'In front of the hall.' })
    queryClient.clear()
    showForm(7)
    await screen.findByDisplayValue('With us.')
    expect(textOf('Parking')).toBe('In front of the hall.')
    expect(asksBeforeLeaving()).toBe(true)
    await save('Plan Your Visit')
    await waitFor(() => expect(asksBeforeLeaving()).toBe(false))
    expect(sent().at(-1)).toEqual({ forChildren: 'With us.', baseRev: 6 })
  })

  test('shows unsaved changes to their author only', async () => {
    await serve(filled)
    const { unmount } = showForm(8)
    await userEvent.type(await screen.findByLabelText('Children'), 'With us.')
    unmount()
    const other = showForm(9)
    expect(((await screen.findByLabelText('Children')) as HTMLTextAreaElement).value).toBe('')
    other.unmount()
    showForm(8)
    await screen.findByDisplayValue('With us.')
  })
})
