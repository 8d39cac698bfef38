import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { readUpNext, writeUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { act, render, screen, waitFor, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test } from 'vitest'
import { SilentAudio } from '../../../testing/silent-audio.ts'
import { toastStore } from '../../../ui/toast.ts'
import { playerOf } from '../player/player.ts'
import { UpNextList } from './up-next-list.tsx'
import { UpNextPart } from './up-next-part.tsx'

const uids = ['a', 'b', 'c']
const user = userEvent.setup()

beforeEach(async () => {
  await appDatabase().upNext.clear()
  await appDatabase().teachings.bulkPut(
    uids.map((uid, at) => aTeaching({ id: at + 1, uid, title: `Study ${uid}` })),
  )
})

async function show(...listed: string[]) {
  await writeUpNext({ type: 'addToEnd', uids: listed })
  const player = playerOf(new SilentAudio() as unknown as HTMLAudioElement)
  render(<UpNextList player={player} />)
  // The page may still show the list of the previous test.
  if (listed.length > 0)
    await waitFor(() => expect(titles()).toEqual(listed.map((letter) => `Study ${letter}`)))
  return player
}
const titles = () =>
  within(screen.getByRole('list', { name: 'Up next' }))
    .getAllByRole('button', { name: /^Play now/ })
    .map(({ textContent }) => /Study \w/.exec(textContent)?.[0])
const press = (name: string) => user.click(screen.getByRole('button', { name }))
const comesTo = (...letters: string[]) =>
  waitFor(() => expect(titles()).toEqual(letters.map((letter) => `Study ${letter}`)))

test('an empty list shows how to add teachings', async () => {
  await show()
  const said = screen.getByText(/^Your queue is empty\. Tap ⋯ beside a teaching, then “Add to Up next”/)
  // It is invisible until the list is read.
  await waitFor(() => expect(said.classList.contains('invisible')).toBe(false))
})

test('moving beyond an end changes nothing and keeps focus', async () => {
  await show('a', 'b')
  await press('Move Study a up')
  expect(document.activeElement?.getAttribute('aria-label')).toBe('Move Study a up')
  await press('Move Study b down')
  expect(screen.getByRole('status').textContent).toBe('')
  expect((await readUpNext()).teachings.map(({ uid }) => uid)).toEqual(['a', 'b'])
})

test('buttons and arrow keys reorder and announce', async () => {
  await show('a', 'b', 'c')
  await press('Move Study c up')
  await comesTo('a', 'c', 'b')
  expect(screen.getByText('Study c is now number 2 of 3.')).toBeTruthy()
  screen.getByRole('button', { name: /^Reorder Study a/ }).focus()
  await user.keyboard('{ArrowDown}')
  await comesTo('c', 'a', 'b')
  await press('Move Study a up')
  await comesTo('a', 'c', 'b')
})

test('Undo restores a removed teaching to its position', async () => {
  await show('a', 'b', 'c')
  await press('Remove Study b from Up next')
  await comesTo('a', 'c')
  const { title, action } = toastStore.snapshot()!
  expect([title, action?.label]).toEqual(['Removed from Up next: Study b', 'Undo'])
  act(() => action!.onPress())
  await comesTo('a', 'b', 'c')
})

test('Undo restores a cleared list in its order', async () => {
  await show('b', 'a', 'c')
  await press('Clear the list')
  await screen.findByText(/^Your queue is empty/)
  const { title, action } = toastStore.snapshot()!
  expect(title).toBe('Up next was emptied')
  act(() => action!.onPress())
  await comesTo('b', 'a', 'c')
})

test('the next teaching plays by a press, if there is one', async () => {
  const audio = new SilentAudio()
  const player = playerOf(audio as unknown as HTMLAudioElement)
  render(<UpNextPart player={player} />)
  const next = await screen.findByRole<HTMLButtonElement>('button', { name: 'Next teaching' })
  await waitFor(() => expect(next.disabled).toBe(true))
  await appDatabase().teachings.update('b', { audioUrl: `/audio/${'b'.repeat(64)}.mp3` })
  await writeUpNext({ type: 'addToEnd', uids: ['b'] })
  await waitFor(() => expect(next.disabled).toBe(false))
  await user.click(next)
  expect(player.state().recording?.uid).toBe('b')
  // It is open, and nothing is behind it.
  await waitFor(() => expect(next.disabled).toBe(true))
  player.close()
})

test('a teaching played now leaves the list', async () => {
  const player = await show('a', 'b', 'c')
  await user.click(screen.getByRole('button', { name: /^Play now: *Study b/ }))
  expect(player.state().recording?.uid).toBe('b')
  await comesTo('a', 'c')
})
