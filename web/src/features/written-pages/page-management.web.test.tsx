import { pages } from '@fellowship/schema/written-pages/written-pages.contract'
import type { PageRow } from '@fellowship/schema/written-pages/written-pages.schema'
import { pageTexts } from '@fellowship/schema/written-pages/written-pages.texts'
import { render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { PageManagement } from './page-management.admin.tsx'

afterEach(() => {
  queryClient.clear()
  localStorage.clear()
  toastStore.set(null)
})

const children: PageRow = {
  id: 3,
  uid: '0198c2f4-0000-7000-8000-000000000003',
  rev: 7,
  title: 'Children',
  slug: 'children',
  text: 'From 3 to 12.',
  inNavigation: true,
  draft: false,
  parts: null,
  imageUrl: null,
}
const home = { greeting: 'Welcome to', introduction: 'A church.', service: [] }
const fixed = {
  ...children,
  id: 1,
  uid: '0198c2f4-0000-7000-8000-000000000001',
  slug: 'home',
  title: 'Home',
  text: '',
  parts: { ...home, eldersHeading: 'Our Elders', elders: '', placeHeading: 'Find Us' },
}

const address = `/images/${'a'.repeat(64)}-640.webp`

/** A server whose only page changes as a real one does. */
async function showing(page: PageRow) {
  let kept = page
  let isDeleted = false
  const answer = () => ({ body: isDeleted ? [] : [kept] })
  const requests = await testServer({
    'GET /api/pages': answer,
    'GET /api/admin/bin/pages': () => ({ body: [] }),
    [`PUT /api/pages/${page.id}`]: ({ body }) => {
      const { baseRev, ...words } = JSON.parse(body) as Partial<PageRow> & { baseRev: number }
      if (baseRev < kept.rev) {
        const refusal = { success: false, code: 'revision_conflict', error: pageTexts.changed, current: kept }
        return { status: 409, body: refusal }
      }
      kept = { ...kept, ...words, rev: kept.rev + 1 }
      return { body: kept }
    },
    [`POST /api/pages/${page.id}/picture`]: () => {
      kept = { ...kept, imageUrl: address, rev: kept.rev + 1 }
      return { body: kept }
    },
    [`DELETE /api/pages/${page.id}?baseRev=${page.rev}`]: () => {
      isDeleted = true
      return { body: { success: true } }
    },
    [`POST /api/admin/bin/pages/${page.id}/restore`]: () => {
      isDeleted = false
      return { body: kept }
    },
  })
  render(
    <SignedIn>
      <PageManagement />
    </SignedIn>,
  )
  return {
    requests,
    kept: () => kept,
    /** What another administrator saves meanwhile. */
    changeElsewhere: (words: Partial<PageRow>) => (kept = { ...kept, ...words, rev: kept.rev + 1 }),
  }
}
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const write = async (label: string, words: string) => {
  await userEvent.clear(screen.getByLabelText(label))
  await userEvent.type(screen.getByLabelText(label), words)
}
const toastTitle = () => toastStore.snapshot()?.title

test('asks whose words to keep if two changed them', async () => {
  const { kept, changeElsewhere } = await showing(children)
  await press('Edit Children')
  await write('Title', 'Young people')
  await write('Text', 'From 4 to 14.')
  changeElsewhere({ text: 'From 2 to 12.', inNavigation: false })
  await press('Save')
  const choice = within(await screen.findByRole('region', { name: pageTexts.changed }))
  expect(choice.getAllByRole('radio')).toHaveLength(2)
  expect(choice.getByRole('button', { name: 'Save' })).toMatchObject({ disabled: true })
  await userEvent.click(choice.getByLabelText('Theirs: From 2 to 12.'))
  await userEvent.click(choice.getByRole('button', { name: 'Save' }))
  await waitFor(() => expect(toastTitle()).toBe(pageTexts.updated))
  expect(kept()).toMatchObject({ title: 'Young people', text: 'From 2 to 12.', inNavigation: false, rev: 9 })
})

test('saves one part of Home over another that changed meanwhile', async () => {
  const { kept, changeElsewhere } = await showing(fixed)
  await press('Edit Home')
  await write('Greeting', 'Come to')
  changeElsewhere({ parts: { ...fixed.parts, placeHeading: 'Where we meet' } })
  await press('Save')
  await waitFor(() => expect(toastTitle()).toBe(pageTexts.updated))
  expect(kept().parts).toMatchObject({ greeting: 'Come to', placeHeading: 'Where we meet' })
})

test('a picture sent meanwhile does not stop unsaved words', async () => {
  const { kept } = await showing(children)
  await press('Edit Children')
  await write('Title', 'Young people')
  const picture = new File(['a'], 'a.png', { type: 'image/png' })
  await userEvent.upload(screen.getByLabelText(/^Picture/), picture)
  await screen.findByRole('button', { name: 'Remove: Picture' })
  await press('Save')
  await waitFor(() => expect(toastTitle()).toBe(pageTexts.updated))
  expect(kept()).toMatchObject({ title: 'Young people', imageUrl: address, rev: 9 })
})

test('the toast of a deletion restores the page', async () => {
  const { requests } = await showing(children)
  await press('Delete Children')
  await userEvent.click(within(await screen.findByRole('dialog')).getByRole('button', { name: 'Delete' }))
  await waitFor(() => expect(toastTitle()).toBe(pageTexts.deleted))
  const { action } = toastStore.snapshot()!
  expect(action?.label).toBe('Undo')
  action!.onPress()
  await screen.findByRole('button', { name: 'Edit Children' })
  await waitFor(() => expect(toastTitle()).toBe(pageTexts.restored))
  const restore = pages.restore.path.replace(':id', '3')
  expect(requests.filter(({ path }) => path === restore)).toHaveLength(1)
})
