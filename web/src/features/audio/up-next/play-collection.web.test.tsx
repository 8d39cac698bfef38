import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { SignedIn } from '../../../testing/signed-in.tsx'
import { AudioElementProvider } from '../player/audio-element.tsx'
import { playerOf } from '../player/player.ts'
import { CollectionActions, PlayOnButton, PlayOnChoice } from './play-collection.tsx'

const study = (letter: string, id: number, given = {}) =>
  aTeaching({
    id,
    uid: letter,
    title: `Study ${letter}`,
    audioUrl: `/audio/${letter.repeat(64)}.mp3`,
    ...given,
  })
const silent = study('s', 9, { audioUrl: null })
const [a, b, c] = [study('a', 1), study('b', 2), study('c', 3)]

const player = () => playerOf(document.querySelector('audio')!)
async function show(page: React.ReactNode) {
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue()
  render(
    <SignedIn>
      <AudioElementProvider>{page}</AudioElementProvider>
    </SignedIn>,
  )
  await waitFor(() => expect(document.querySelector('audio')).toBeTruthy())
}
const press = (name: string | RegExp) => userEvent.click(screen.getByRole('button', { name }))
const plays = (uid: string, ...next: string[]) =>
  waitFor(async () => {
    expect(player().state().recording?.uid).toBe(uid)
    expect((await readUpNext()).teachings.map((each) => each.uid)).toEqual(next)
  })
const isOffered = () => screen.queryByRole('button', { name: /Play on from here|Play all/ }) !== null

beforeEach(async () => {
  const { upNext, positions, teachings } = appDatabase()
  await Promise.all([upNext.clear(), positions.clear(), teachings.bulkPut([silent, a, b, c])])
})

test('plays a collection in its order, and offers Up next', async () => {
  await show(<CollectionActions rows={[silent, a, b, c]} />)
  expect(screen.queryByRole('button', { name: /^Up next/ })).toBeNull()
  await press('Play all')
  await plays('a', 'b', 'c')
  await userEvent.click(await screen.findByRole('button', { name: 'Up next: 2 teachings' }))
  expect(await screen.findByRole('list', { name: 'Up next' })).toBeTruthy()
  act(() => player().close())
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Up next: 2 teachings' })).toBeNull())
})

test.each([
  ['the last teaching', <PlayOnButton key="a" teaching={c} inOrder={[a, b, c]} />],
  ['one that only silent ones follow', <PlayOnButton key="a" teaching={c} inOrder={[a, c, silent]} />],
  ['one of another collection', <PlayOnButton key="a" teaching={c} inOrder={[a, b]} />],
  ['a collection without audio', <CollectionActions key="a" rows={[silent]} />],
  ['the last choice', <PlayOnChoice key="a" teaching={c} inOrder={[a, c]} onDone={() => {}} />],
])('offers nothing for %s', async (_, page) => {
  await show(page)
  expect(isOffered()).toBe(false)
})

test('plays on from a teaching', async () => {
  await show(<PlayOnButton teaching={b} inOrder={[a, b, c]} />)
  await press('Play on from here')
  await plays('b', 'c')
  act(() => player().close())
})

test('plays on from the first, by a choice that closes its sheet', async () => {
  const onDone = vi.fn()
  await show(<PlayOnChoice teaching={a} inOrder={[a, b]} onDone={onDone} />)
  await press('Play on from here')
  await plays('a', 'b')
  expect(onDone).toHaveBeenCalledOnce()
  act(() => player().close())
})
