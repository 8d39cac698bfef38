import { listeningTexts } from '@fellowship/schema/listening/listening.texts'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { notePosition, readMarks } from '@fellowship/sync/client/listening/listening.store'
import { readUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, expect, test, vi } from 'vitest'
import { toastStore } from '../../ui/toast.ts'
import { FavouriteButton } from './favourite-button.tsx'
import { ListeningChoices } from './listening-choices.tsx'
import { mark } from './marks.device.ts'

const [a, b] = [aTeaching({ id: 1, uid: 'a', title: 'Hope' }), aTeaching({ id: 2, uid: 'b', title: 'Grace' })]

beforeEach(async () => {
  const { marks, positions, upNext, teachings } = appDatabase()
  await Promise.all([marks.clear(), positions.clear(), upNext.clear(), teachings.bulkPut([a, b])])
})
function show() {
  const onDone = vi.fn()
  render(
    <>
      <ListeningChoices teaching={a} onDone={onDone} />
      <FavouriteButton uid="b" title="Grace" />
    </>,
  )
  return onDone
}
const press = async (name: string) => userEvent.click(await screen.findByRole('button', { name }))
const marked = async (uid: string) => {
  const marks = (await readMarks()).find((each) => each.uid === uid)
  return [marks?.favourite?.on, marks?.heard?.on]
}

test('a teaching without audio has no choices', () => {
  const { container } = render(<ListeningChoices teaching={{ ...a, audioUrl: null }} onDone={() => {}} />)
  expect(container.textContent).toBe('')
})

test('each mark is set, then removed', async () => {
  const onDone = show()
  await press('Add to favourites')
  await press('Remove from favourites')
  await screen.findByRole('button', { name: 'Add to favourites' })
  expect(await marked('a')).toEqual([false, undefined])
  await press('Mark as heard')
  await screen.findByRole('button', { name: 'Mark as not heard' })
  expect(await marked('a')).toEqual([false, true])
  await press('Mark as not heard')
  await screen.findByRole('button', { name: 'Mark as heard' })
  expect(onDone).toHaveBeenCalledTimes(4)
})

test('unmarks a teaching that was heard to its end', async () => {
  await notePosition('a', { seconds: 2_390, duration: 2_400, at: 1 })
  show()
  await press('Mark as not heard')
  await waitFor(async () => expect(await marked('a')).toEqual([undefined, false]))
})

test('the favourite button shows and changes its state', async () => {
  show()
  const button = () => screen.getByRole('button', { name: 'Favourite: Grace' })
  expect(button().getAttribute('aria-pressed')).toBe('false')
  await press('Favourite: Grace')
  await waitFor(() => expect(button().getAttribute('aria-pressed')).toBe('true'))
  expect(await marked('b')).toEqual([true, undefined])
  await press('Favourite: Grace')
  await waitFor(() => expect(button().getAttribute('aria-pressed')).toBe('false'))
})

test('goes to either end of Up next', async () => {
  const listed = async () => (await readUpNext()).teachings.map(({ uid }) => uid)
  show()
  await press('Add to Up next')
  await waitFor(async () => expect(await listed()).toEqual(['a']))
  await press('Play next')
  await waitFor(() => expect(toastStore.snapshot()?.title).toBe('Plays next'))
})

test('says if the device cannot store a mark', async () => {
  const full = new DOMException('', 'QuotaExceededError')
  vi.spyOn(appDatabase(), 'transaction').mockRejectedValueOnce(full as never)
  await mark('a', 'heard', true)
  expect(toastStore.snapshot()).toMatchObject({ ...listeningTexts.notKept, kind: 'destructive' })
})
