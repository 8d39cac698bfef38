import { type Handout, handoutAddress } from '@fellowship/schema/handouts/handout-file'
import { handoutTexts as texts } from '@fellowship/schema/handouts/handouts.texts'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { audioDatabase } from '@fellowship/sync/client/database/audio-database'
import { dropRecording, saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { createHash } from 'node:crypto'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { SignedIn } from '../../testing/signed-in.tsx'
import { testServer } from '../../testing/test-server.ts'
import { StorageMeter } from '../audio/saved/storage-meter.tsx'
import { EditTeachingDialog } from '../teachings/teaching-dialogs.tsx'
import { HandoutList } from './handout-list.tsx'
import { keepHandouts, keptHandoutBytes } from './kept-handouts.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const handout = (text: string, type: Handout['type'] = 'pdf'): Handout => ({
  hash: createHash('sha256').update(text).digest('hex'),
  name: `${text}.${type}`,
  type,
  bytes: 240_000,
})
const [outline, map] = [handout('Outline'), handout('Map', 'png')]

/** jsdom has no Cache Storage. */
function memoryCaches() {
  const kept = new Map<string, Response>()
  const cache = {
    match: async (address: string) => kept.get(address)?.clone(),
    put: async (address: string, response: Response) => void kept.set(address, response),
    keys: async () => [...kept.keys()].map((address) => ({ url: new URL(address, 'http://localhost').href })),
    delete: async ({ url }: { url: string }) => kept.delete(new URL(url).pathname),
  }
  vi.stubGlobal('caches', { open: async () => cache, has: async () => true })
  return kept
}
const goOffline = () => vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)

let kept: Map<string, Response>
beforeEach(async () => {
  kept = memoryCaches()
  await appDatabase().teachings.clear()
  await audioDatabase().recordings.clear()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.unstubAllGlobals()
})

test('offline, only handouts on the device can be opened', async () => {
  goOffline()
  kept.set(handoutAddress(map), new Response('png'))
  render(<HandoutList handouts={[outline, map]} />)
  const missing = await screen.findByText('Not on this device')
  expect(missing.closest('li')!.textContent).toContain('Outline')
  expect(screen.getAllByRole('link').map((link) => link.getAttribute('href'))).toEqual([handoutAddress(map)])
})

test('a teaching without handouts shows no list', () => {
  render(<HandoutList handouts={null} />)
  expect(screen.queryByRole('heading')).toBeNull()
})

test('a browser that blocks storage has no handouts', async () => {
  vi.stubGlobal('caches', undefined)
  expect(await keptHandoutBytes()).toBe(0)
})

test('counts every handout on the device once', async () => {
  const [first, second] = [1, 2].map((id) =>
    aTeaching({ id, uid: `u${id}`, audioUrl: `/audio/${String(id).repeat(64)}.mp3`, handouts: [outline] }),
  )
  await appDatabase().teachings.bulkPut([first!, second!])
  for (const teaching of [first!, second!]) await saveRecording(teaching, 1)
  kept.set(handoutAddress(outline), new Response('Outline'))
  expect(await keptHandoutBytes()).toBe(outline.bytes)
  // Its teaching does not have it any more.
  kept.set(handoutAddress(map), new Response('a map'))
  expect(await keptHandoutBytes()).toBe(outline.bytes + 5)
})

test('the storage of the device counts handouts', async () => {
  const teaching = aTeaching({ handouts: [outline, map] })
  await appDatabase().teachings.put(teaching)
  await saveRecording(teaching, 1)
  render(<StorageMeter recordings={[]} />)
  expect((await screen.findByText('480 kB')).parentElement!.textContent).toBe('480 kB used')
})

test('stores handouts with their recording, never the page of a portal', async () => {
  const teaching = aTeaching({ handouts: [outline, map] })
  await appDatabase().teachings.put(teaching)
  const answers = new Map([[handoutAddress(outline), 'Outline']])
  vi.stubGlobal('fetch', async (address: string) => new Response(bytes(answers.get(address) ?? '<html>')))
  keepHandouts()
  await saveRecording(teaching, 1)
  await expect.poll(() => [...kept.keys()]).toEqual([handoutAddress(outline)])
  // The portal is gone.
  answers.set(handoutAddress(map), 'Map')
  window.dispatchEvent(new Event('online'))
  await expect.poll(() => [...kept.keys()]).toEqual([outline, map].map(handoutAddress))
  await appDatabase().teachings.put({ ...teaching, handouts: [map] })
  await expect.poll(() => [...kept.keys()]).toEqual([handoutAddress(map)])
  await dropRecording((await audioDatabase().recordings.toArray())[0]!.key)
  await expect.poll(() => kept.size).toBe(0)
})

function openForm(handouts: Handout[] | null) {
  render(
    <SignedIn>
      <EditTeachingDialog teaching={aTeaching({ id: 5, handouts })} onClose={() => undefined} />
    </SignedIn>,
  )
}

test('the form sends a chosen file at once, and shows a refusal', async () => {
  const answers = [
    { status: 415, body: { error: texts.wrongType, message: texts.wrongType, code: 'unsupported_media' } },
    { body: aTeaching({ id: 5, handouts: [outline] }) },
  ]
  const requests = await testServer({
    [`POST /api/teachings/5/handouts?uid=${aTeaching().uid}`]: () => answers.shift()!,
  })
  openForm(null)
  const input = await screen.findByLabelText('Add handout')
  await userEvent.upload(input, new File(['a'], 'a.pdf', { type: 'application/pdf' }))
  await screen.findByText(texts.wrongType)
  await userEvent.upload(input, new File(['Outline'], 'Outline.pdf', { type: 'application/pdf' }))
  await screen.findByRole('button', { name: 'Remove Outline' })
  expect(screen.queryByText(texts.wrongType)).toBeNull()
  expect(requests.filter(({ method }) => method === 'POST').length).toBe(2)
})

test('the form removes a handout after a question', async () => {
  const address = `DELETE /api/teachings/5/handouts/${outline.hash}?uid=${aTeaching().uid}`
  await testServer({ [address]: () => ({ body: aTeaching({ id: 5 }) }) })
  openForm([outline])
  await userEvent.click(await screen.findByRole('button', { name: 'Remove Outline' }))
  const question = await screen.findByRole('dialog', { name: 'Remove handout' })
  await userEvent.click(within(question).getByRole('button', { name: 'Remove' }))
  await expect.poll(() => screen.queryByRole('button', { name: 'Remove Outline' })).toBeNull()
})

test('the form takes no sixth handout, and none offline', async () => {
  goOffline()
  openForm(['a', 'b', 'c', 'd', 'e'].map((text) => handout(text)))
  await screen.findByText(texts.full)
  expect(screen.queryByLabelText('Add handout')).toBeNull()
  expect(screen.getByRole('button', { name: 'Remove a' })).toHaveProperty('disabled', true)
})
