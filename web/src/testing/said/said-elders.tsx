import { anElder } from '@fellowship/schema/testing/builders'
import { fireEvent, screen } from '@testing-library/react'
import { renderSite } from '../render-site.tsx'
import { testServer } from '../test-server.ts'
import { fillIn, press, refused, type Scenario } from './scenario.ts'

const admin = { id: 1, name: 'Anna', email: 'anna@example.test', role: 'admin' as const }
const elder = anElder({ id: 3, name: 'Tom Harris', shortBio: 'Short.', extendedBio: 'Longer.' })
const list = { 'GET /api/elders': () => ({ body: [elder] }) }
const place = '/admin?tab=content&part=elders'
const fields = { Name: 'Ben', 'Short Bio': 'Short.', 'Extended Bio': 'Longer.' }

const choose = async (file: File) =>
  fireEvent.change(await screen.findByLabelText(/^Photo/), { target: { files: [file] } })
const photo = () => new File(['x'], 'tom.png', { type: 'image/png' })

async function saveWith(answers: Parameters<typeof testServer>[0], change: () => Promise<unknown>) {
  await testServer({ ...list, ...answers })
  renderSite(place, admin)
  await press('Edit Tom Harris')
  await change()
  await press('Save')
}

async function create(answer: () => { status?: number; body: unknown }) {
  await testServer({ ...list, 'POST /api/elders': answer })
  renderSite(place, admin)
  await press('Add Elder')
  await fillIn(fields)
  await press('Create')
}

async function remove(answer: () => { status?: number; body: unknown }) {
  await testServer({ ...list, 'DELETE /api/elders/3': answer })
  renderSite(place, admin)
  await press('Delete Tom Harris')
  await press('Delete')
}

async function refusePhoto(file: File) {
  await testServer(list)
  renderSite(place, admin)
  await press('Edit Tom Harris')
  await choose(file)
}

export const saidByElders: readonly Scenario[] = [
  {
    says: ['Failed to fetch elders'],
    bring: async () => {
      await testServer({ 'GET /api/elders': () => refused() })
      renderSite(place, admin)
    },
  },
  {
    says: ['Are you sure you want to delete …? This action cannot be undone.'],
    bring: async () => {
      await testServer(list)
      renderSite(place, admin)
      await press('Delete Tom Harris')
    },
  },
  { says: ['Elder Created'], bring: () => create(() => ({ body: { ...elder, id: 4 } })) },
  { says: ['Creation Failed'], bring: () => create(() => refused()) },
  {
    says: ['Elder Updated'],
    bring: () =>
      saveWith({ 'PUT /api/elders/3': () => ({ body: elder }) }, () => fillIn({ Name: 'Thomas Harris' })),
  },
  {
    says: ['Update Failed'],
    bring: () => saveWith({ 'PUT /api/elders/3': () => refused() }, () => fillIn({ Name: 'Thomas Harris' })),
  },
  { says: ['Elder Deleted'], bring: () => remove(() => ({ body: { success: true } })) },
  { says: ['Deletion Failed'], bring: () => remove(() => refused()) },
  {
    says: ['Photo Uploaded'],
    bring: () =>
      saveWith(
        {
          'PUT /api/elders/3': () => ({ body: elder }),
          'POST /api/elders/3/photo': () => ({ body: { elder } }),
        },
        () => choose(photo()),
      ),
  },
  {
    says: ['Upload Failed'],
    bring: () =>
      saveWith(
        { 'PUT /api/elders/3': () => ({ body: elder }), 'POST /api/elders/3/photo': () => refused() },
        () => choose(photo()),
      ),
  },
  {
    says: ['Invalid File Type', 'Please select a JPEG, PNG, or WebP image.'],
    bring: () => refusePhoto(new File(['x'], 'tom.gif', { type: 'image/gif' })),
  },
  {
    says: ['File Too Large', 'Please select an image smaller than 5MB.'],
    bring: () => refusePhoto(new File([new Uint8Array(5 * 1024 * 1024)], 'tom.png', { type: 'image/png' })),
  },
]
