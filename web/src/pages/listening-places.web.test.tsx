import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { audioDatabase } from '@fellowship/sync/client/database/audio-database'
import { saveRecording } from '@fellowship/sync/client/saved-audio/audio-store'
import { screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test, vi } from 'vitest'
import { chooseComfort } from '../lib/comfort.ts'
import { renderSite } from '../testing/render-site.tsx'
import { testServer } from '../testing/test-server.ts'

/** Teachings with these titles and a recording each. */
const recorded = (titles: readonly string[], more: (at: number) => object = () => ({})) =>
  titles.map((title, at) =>
    aTeaching({
      id: at + 1,
      uid: `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${at}`,
      title,
      audioUrl: `/audio/${String(at).repeat(64)}.mp3`,
      audioBytes: 4_000,
      ...more(at),
    }),
  )

test('offers an earlier position over five minutes away', async () => {
  const [far, near] = ['Far', 'Near'].map((title, at) =>
    aTeaching({ id: at + 1, uid: `6f1c1f0e-2b7a-4c58-a1de-2f5f0c9b7e0${at}`, title }),
  )
  await appDatabase().teachings.bulkPut([far!, near!])
  const place = { seconds: 600, duration: 2400, listenedAt: 2000 }
  await appDatabase().positions.bulkPut([
    { ...place, uid: far!.uid, earlier: [{ seconds: 901, listenedAt: 1000 }] },
    { ...place, uid: near!.uid, earlier: [{ seconds: 899, listenedAt: 1000 }] },
  ])
  await testServer({})
  renderSite('/listening')
  const begun = within(await screen.findByRole('region', { name: /^Continue/ }))
  expect(begun.getAllByRole('button', { name: /before$/ }).map(({ textContent }) => textContent)).toEqual([
    'You were at 15:01 before',
  ])
  expect(begun.getAllByRole('listitem')).toHaveLength(2)
})

test('plays the saved original offline if small recordings are wanted', async () => {
  vi.spyOn(navigator, 'onLine', 'get').mockReturnValue(false)
  chooseComfort({ recordings: 'small' })
  const [saved, other] = recorded(['Saved', 'Other'], (at) => ({
    audioMime: 'audio/mpeg',
    copyUrl: `/audio/${'ab'[at]!.repeat(64)}.webm`,
    copyBytes: 1_000,
    copyMime: 'audio/webm',
  }))
  await appDatabase().teachings.bulkPut([saved!, other!])
  const place = { seconds: 600, duration: 2400, listenedAt: 2000, earlier: [] }
  await appDatabase().positions.bulkPut([saved!, other!].map(({ uid }) => ({ ...place, uid })))
  await testServer({})
  renderSite('/listening')
  const begun = within(await screen.findByRole('region', { name: /^Continue/ }))
  const rowOf = (title: string) => begun.getByText(title).closest('li')!
  const needs = 'Needs a connection'
  await waitFor(() => expect(rowOf('Saved').textContent).toContain(needs))
  await saveRecording(saved!, 1)
  await audioDatabase().recordings.toCollection().modify({ state: 'ready', bytes: 4_000 })
  await waitFor(() => expect(rowOf('Saved').textContent).not.toContain(needs))
  expect(rowOf('Other').textContent).toContain(needs)
  await userEvent.click(begun.getByRole('button', { name: 'Play Saved' }))
  await waitFor(() => expect(document.querySelector('audio')!.src).toContain(saved!.audioUrl))
})

test('counts as saved what is whole', async () => {
  const [whole, coming] = recorded(['Whole', 'Coming'])
  await appDatabase().teachings.bulkPut([whole!, coming!])
  for (const each of [whole!, coming!]) await saveRecording(each, 1)
  await audioDatabase().recordings.where({ teachingUid: whole!.uid }).modify({ state: 'ready', bytes: 4_000 })
  await testServer({})
  renderSite('/listening')
  const saved = within(await screen.findByRole('region', { name: 'Saved (1)' }))
  await waitFor(() => expect(saved.getAllByRole('listitem')).toHaveLength(2))
})
