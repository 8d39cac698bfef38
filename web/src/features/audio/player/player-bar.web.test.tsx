import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { notePosition, writeMark } from '@fellowship/sync/client/listening/listening.store'
import { writeUpNext } from '@fellowship/sync/client/listening/up-next.store'
import { act, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import type { ReactNode } from 'react'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { positionsKnown, positionsNow } from '../../listening/positions.ts'
import { savedKnown } from '../saved/saved.ts'
import { SignedIn } from '../../../testing/signed-in.tsx'
import { AudioElementProvider } from './audio-element.tsx'
import { largePlayer } from './inline-sight.ts'
import { InlinePlayer } from './inline-player.tsx'
import { ListeningMark } from './listening-mark.tsx'
import { PlayDisc, PlayWords } from './play-disc.view.tsx'
import { playerOf } from './player.ts'
import { PlaybackNotes } from './playback-notes.tsx'
import { PlayerBar } from './player-bar.tsx'
import type { Player } from './player-state.ts'
import { playableOf } from './recording-of.ts'
import { momentOf } from './resume-position.ts'
import { usePlayer } from './use-player.ts'

const study = (letter: string, given = {}) =>
  aTeaching({
    uid: letter,
    title: `Study ${letter}`,
    audioUrl: `/audio/${letter.repeat(64)}.mp3`,
    duration: '40:00',
    ...given,
  })
const [a, b, c] = [study('a', { id: 1 }), study('b', { id: 2 }), study('c', { id: 3 })]

const player = () => playerOf(document.querySelector('audio')!)
const audio = () => document.querySelector('audio')!
/** The element's events, as happy-dom loads and plays nothing. */
const sounds = (seconds: number) =>
  act(() => {
    Object.defineProperty(audio(), 'duration', { value: 2400, configurable: true })
    Object.defineProperty(audio(), 'readyState', { value: 1, configurable: true })
    for (const name of ['loadedmetadata', 'playing']) audio().dispatchEvent(new Event(name))
    audio().currentTime = seconds
    audio().dispatchEvent(new Event('timeupdate'))
  })

async function show(page: ReactNode = null, offersContinue = true) {
  vi.spyOn(HTMLMediaElement.prototype, 'play').mockResolvedValue()
  render(
    <SignedIn>
      <AudioElementProvider>
        {page}
        <PlayerBar offersContinue={offersContinue} onShow={() => {}} onManage={() => {}} share={() => null} />
      </AudioElementProvider>
    </SignedIn>,
  )
  await waitFor(() => expect(audio()).toBeTruthy())
  // Otherwise a teaching that is opened waits for these before it loads.
  await act(() => Promise.all([positionsKnown(), savedKnown()]))
  expect(player().state().status).toBe('closed')
}
/** Renders a part of a page that has the player. */
const With = ({ part }: { part: (player: Player) => ReactNode }) => {
  const found = usePlayer()
  return found && part(found)
}
const region = (name: string | RegExp) => screen.queryByRole('region', { name })

beforeEach(async () => {
  largePlayer.set(false)
  const { positions, marks, upNext, teachings } = appDatabase()
  await Promise.all([positions.clear(), marks.clear(), upNext.clear(), teachings.bulkPut([a, b, c])])
})

describe('the bar', () => {
  test('shows what is open, and goes when it is closed', async () => {
    await show()
    expect(region(/^Player/)).toBeNull()
    act(() => player().toggle(playableOf(a)!))
    sounds(600)
    const bar = region('Player: Study a')!
    expect(bar.textContent).toContain('Study aJohn Smith · 10:00 of 40:00')
    expect(bar.innerHTML).toContain('scaleX(0.25)')
    expect(document.body.style.paddingBottom).not.toBe('')
    await userEvent.click(screen.getByRole('button', { name: 'Close the player' }))
    expect(region(/^Player/)).toBeNull()
    expect(document.body.style.paddingBottom).toBe('')
  })

  test('counts the teachings of Up next besides the open one', async () => {
    await writeUpNext({ type: 'addToEnd', uids: ['a', 'b', 'c'] })
    await show()
    act(() => player().toggle(playableOf(a)!))
    expect(await screen.findByRole('button', { name: 'Up next: 2 teachings' })).toBeTruthy()
    await act(() => writeUpNext({ type: 'remove', uids: ['b', 'c'] }))
    await waitFor(() => expect(screen.queryByRole('button', { name: /^Up next/ })).toBeNull())
  })

  test('opens the large player, which closes with the recording', async () => {
    await show()
    act(() => player().toggle(playableOf(a)!))
    await userEvent.click(screen.getByRole('button', { name: /^Open the player/ }))
    expect(await screen.findByText('Now playing')).toBeTruthy()
    act(() => player().close())
    expect(largePlayer.snapshot()).toBe(false)
    act(() => player().toggle(playableOf(b)!))
    expect(screen.queryByText('Now playing')).toBeNull()
  })

  test('hides while the player of the page is in sight', async () => {
    let report: (entries: { isIntersecting: boolean }[]) => void = () => {}
    vi.stubGlobal(
      'IntersectionObserver',
      class {
        constructor(then: typeof report) {
          report = then
        }
        observe() {}
        disconnect() {}
      },
    )
    await show(<With part={(found) => <InlinePlayer player={found} recording={playableOf(a)!} />} />)
    act(() => player().toggle(playableOf(a)!))
    expect(screen.getAllByRole('region', { name: 'Player: Study a' })).toHaveLength(1)
    act(() => report([{ isIntersecting: false }]))
    expect(screen.getAllByRole('region', { name: 'Player: Study a' })).toHaveLength(2)
    await userEvent.click(screen.getByRole('button', { name: 'Open the large player, with notes' }))
    expect(await screen.findByText('Now playing')).toBeTruthy()
    act(() => player().close())
    vi.unstubAllGlobals()
  })
})

describe('the unfinished teaching', () => {
  const leave = () => notePosition('a', { seconds: 600, duration: 2400, at: 1 })

  test('plays at a press', async () => {
    await leave()
    await show()
    await screen.findByRole('region', { name: 'Continue listening: Study a' })
    expect(region(/^Continue/)!.textContent).toContain('30:00 left · John Smith')
    expect(region(/^Continue/)!.innerHTML).toContain('scaleX(0.25)')
    await userEvent.click(screen.getByRole('button', { name: /^Continue: Study a/ }))
    expect(player().state().recording?.uid).toBe('a')
    expect(region(/^Continue/)).toBeNull()
    act(() => player().close())
  })

  test('is dismissed by Not now', async () => {
    await leave()
    await show()
    await screen.findByRole('region', { name: /^Continue/ })
    await userEvent.click(screen.getByRole('button', { name: 'Not now' }))
    expect(region(/^Continue/)).toBeNull()
  })
})

test('a disc plays and pauses its own teaching', async () => {
  await show(
    <>
      <PlayDisc teaching={a} />
      <PlayWords teaching={b}>Listen</PlayWords>
      <PlayDisc teaching={study('d', { audioUrl: null })} />
      <PlayWords teaching={study('e', { audioUrl: null })}>None</PlayWords>
    </>,
  )
  const press = (name: string) => userEvent.click(screen.getByRole('button', { name }))
  expect(screen.queryByText('None')).toBeNull()
  expect(screen.queryByRole('button', { name: /Study d/ })).toBeNull()
  await press('Play Study a')
  expect(player().state()).toMatchObject({ recording: { uid: 'a' }, status: 'loading' })
  sounds(10)
  expect(screen.getByRole('button', { name: 'Listen' })).toBeTruthy()
  const isPaused = vi.spyOn(audio(), 'paused', 'get').mockReturnValue(false)
  screen.getAllByRole('button', { name: 'Pause Study a' })[0]!.click()
  isPaused.mockReturnValue(true)
  act(() => void audio().dispatchEvent(new Event('pause')))
  expect(player().state().status).toBe('paused')
  await press('Play Study a')
  expect(player().state()).toMatchObject({ recording: { uid: 'a' }, status: 'loading' })
  await press('Listen')
  expect(player().state().recording?.uid).toBe('b')
  sounds(10)
  expect(screen.getByRole('button', { name: 'Play Study a' })).toBeTruthy()
  act(() => player().close())
})

test('marks a teaching as begun, heard, and a favourite', async () => {
  await notePosition('a', { seconds: 600, duration: 2400, at: 1 })
  await notePosition('b', { seconds: 2395, duration: 2400, at: 1 })
  await writeMark('b', 'favourite', true)
  const Row = ({ uid }: { uid: string }) => (
    <p aria-label={uid}>
      <ListeningMark uid={uid} />
    </p>
  )
  await show(
    ['a', 'b', 'c'].map((uid) => <Row key={uid} uid={uid} />),
    false,
  )
  const words = (uid: string) => screen.getByLabelText(uid).textContent.trim()
  await waitFor(() => expect(['a', 'b', 'c'].map(words)).toEqual(['30:00 left', 'Favourite Heard', '']))
  expect(screen.getByLabelText('a').innerHTML).toContain('width: 25%')
  await act(() => writeMark('b', 'favourite', false))
  await waitFor(() => expect(words('b')).toBe('Heard'))
  expect([momentOf(player(), 'a'), momentOf(player(), 'b')]).toEqual([600, 0])
  act(() => player().playFrom(playableOf(a)!, 900))
  expect([momentOf(player(), 'a'), momentOf(null, 'a')]).toEqual([900, 600])
  act(() => player().close())
})

test('notes where it resumed, and the way back from a jump', async () => {
  // Not the position of the tests before, which the store may still hold.
  await notePosition('a', { seconds: 660, duration: 2400, at: 1 })
  await waitFor(() => expect(positionsNow()?.get('a')?.seconds).toBe(660))
  await show(<With part={(found) => <PlaybackNotes player={found} />} />)
  act(() => player().toggle(playableOf(a)!))
  sounds(660)
  expect(screen.getByText('Resumed at 11:00')).toBeTruthy()
  expect(screen.queryByRole('button', { name: /^Back to/ })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'Start over' }))
  expect(player().state().position).toBe(0)
  expect(screen.queryByText(/^Resumed/)).toBeNull()
  sounds(1200)
  act(() => player().seek(60))
  await userEvent.click(screen.getByRole('button', { name: 'Back to 20:00' }))
  expect(player().state().position).toBe(1200)
  act(() => player().close())
})

test('says that it waits for a connection after six seconds', async () => {
  await show(<With part={(found) => <PlaybackNotes player={found} />} />)
  vi.useFakeTimers()
  act(() => player().toggle(playableOf(a)!))
  act(() => void vi.advanceTimersByTime(5_999))
  expect(screen.queryByText(/^Waiting for a connection/)).toBeNull()
  act(() => void vi.advanceTimersByTime(1))
  expect(screen.getByText(/^Waiting for a connection/)).toBeTruthy()
  sounds(1)
  expect(screen.queryByText(/^Waiting for a connection/)).toBeNull()
  act(() => player().close())
  vi.useRealTimers()
})
