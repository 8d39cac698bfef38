import { inbox, type InboxItem } from '@fellowship/schema/inbox/inbox.contract'
import { inboxTexts } from '@fellowship/schema/inbox/inbox.texts'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test } from 'vitest'
import { queryClient } from '../../lib/query-client.ts'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { toastStore } from '../../ui/toast.ts'
import { InboxList } from './inbox-list.tsx'

afterEach(() => queryClient.clear())

const id = '0198c1de-0000-7000-8000-000000000001'
const fields = { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-22', scriptureReference: '' }
const sentence = uploadTexts.cutOff('0:36', '1:12')
const item: InboxItem = {
  id,
  filename: 'hope.wav',
  bytes: 16_000,
  arrivedAt: '2026-11-22T10:00:00.000Z',
  keptUntil: '2026-12-22T10:00:00.000Z',
  reason: sentence,
  fix: inboxTexts.fix.cutOff,
  isCutOff: true,
  soundsWrong: false,
  isUnfit: false,
  parsedData: { ...fields, isValid: true, errors: [] },
  duplicateOf: null,
}

/** Shows the Inbox with this item, of which the server publishes the part that is there only if that is accepted. */
async function shown(given: InboxItem) {
  const bodies: { acceptCutOff?: boolean }[] = []
  await testServer({
    [`GET ${inbox.list.path}`]: () => ({ body: { success: true, items: [given] } }),
    [`POST ${inbox.publish.path.replace(':id', id)}`]: ({ body }) => {
      const sent = JSON.parse(body) as { acceptCutOff?: boolean }
      bodies.push(sent)
      return sent.acceptCutOff
        ? { body: { success: true, message: inboxTexts.published, teaching: aTeaching() } }
        : { status: 422, body: { success: false, code: 'cut_off', error: sentence, present: '0:36' } }
    },
  })
  render(
    <SignedIn>
      <InboxList />
    </SignedIn>,
  )
  await screen.findByText(given.filename)
  return bodies
}
const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
const isPublished = () => waitFor(() => expect(toastStore.snapshot()?.title).toBe(inboxTexts.published))

test('publishes the part of a recording that is there', async () => {
  const bodies = await shown({ ...item, parsedData: { ...item.parsedData, speaker: '' } })
  screen.getByText(inboxTexts.fix.cutOff)
  screen.getByRole('button', { name: 'Discard hope.wav' })
  await press('Publish what is there hope.wav')
  await screen.findByRole('dialog')
  await press('Publish what is there')
  expect(bodies).toEqual([])
  await userEvent.type(screen.getByLabelText('Speaker'), 'Jane Doe')
  await press('Publish what is there')
  await isPublished()
  expect(bodies).toEqual([expect.objectContaining({ ...fields, acceptCutOff: true })])
})

test('publishes a recording that sounds wrong anyway', async () => {
  const asked = { ...item, isCutOff: false, soundsWrong: true, fix: inboxTexts.fix.sound }
  const bodies = await shown({ ...asked, parsedData: { ...item.parsedData, speaker: 'Jane Doe' } })
  await press('Publish anyway hope.wav')
  await press('Publish anyway')
  await expect.poll(() => bodies).toEqual([expect.objectContaining({ acceptSound: true })])
})

test('offers it if publishing shows that the end is missing', async () => {
  const bodies = await shown({ ...item, reason: 'No speaker.', isCutOff: false })
  await press('Correct and Publish hope.wav')
  await screen.findByRole('dialog')
  await press('Publish')
  await screen.findByText(sentence)
  await userEvent.click(await screen.findByRole('button', { name: 'Publish what is there' }))
  await isPublished()
  expect(bodies.map(({ acceptCutOff }) => acceptCutOff)).toEqual([undefined, true])
})

test('only discards a file that is no recording', async () => {
  await shown({ ...item, isCutOff: false, isUnfit: true, fix: inboxTexts.fix.audio })
  expect(screen.getAllByRole('button').map(({ textContent }) => textContent)).toEqual(['Discard'])
  expect(screen.queryByLabelText('Listen to hope.wav')).toBeNull()
})

test('plays a recording before it asks', async () => {
  await shown(item)
  const player = screen.getByLabelText<HTMLAudioElement>('Listen to hope.wav')
  expect(player.getAttribute('src')).toBe(`/api/inbox/${id}/recording`)
  const publish = screen.getByRole('button', { name: 'Publish what is there hope.wav' })
  expect(player.compareDocumentPosition(publish)).toBe(Node.DOCUMENT_POSITION_FOLLOWING)
})

test('offers dates for an item whose name has none', async () => {
  await shown({ ...item, filename: 'hope 22.11.2026.wav', parsedData: { ...item.parsedData, date: '' } })
  await press('Publish what is there hope 22.11.2026.wav')
  const dialog = await screen.findByRole('dialog')
  expect(dialog.textContent).toContain('hope 22.11.2026.wav')
  await press('In the name, 22 Nov')
  expect(screen.getByLabelText<HTMLInputElement>('Date').value).toBe('2026-11-22')
})
