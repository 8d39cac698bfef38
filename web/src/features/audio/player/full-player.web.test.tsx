import { aTeaching } from '@fellowship/schema/testing/builders'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { act, cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, expect, test, vi } from 'vitest'
import { SignedIn } from '../../../testing/signed-in.tsx'
import { SilentAudio } from '../../../testing/silent-audio.ts'
import { FullPlayer } from './full-player.tsx'
import { playerOf } from './player.ts'

const teaching = aTeaching({ date: '2026-11-22', scriptureReference: 'Romans 8:28' })
const { uid, title, speaker } = teaching
const recording = { uid, title, speaker, audioUrl: '/audio/a.mp3', duration: '42:10' }
afterEach(() => vi.unstubAllGlobals())

/** The large player, with a recording that sounds. */
async function show(given: Partial<Teaching> = {}) {
  await appDatabase().teachings.put({ ...teaching, ...given })
  const audio = new SilentAudio()
  const player = playerOf(audio as unknown as HTMLAudioElement)
  player.toggle(recording)
  // Once the device has been asked for a saved copy.
  await waitFor(() => expect(audio.play).toHaveBeenCalled())
  audio.starts(2530)
  const [onClose, onShow] = [vi.fn(), vi.fn()]
  render(
    <SignedIn>
      <FullPlayer
        player={player}
        share={() => null}
        onClose={onClose}
        onShow={onShow}
        onManage={() => undefined}
      />
    </SignedIn>,
  )
  await screen.findByText('Now playing')
  return { audio, player, onClose, onShow }
}

test('shows the date and the scripture', async () => {
  const { player } = await show()
  expect(await screen.findByText('22 November 2026 · Romans 8:28')).toBeTruthy()
  player.close()
})

test('marks the chapter that plays, and offers to skip to the teaching', async () => {
  const chapters = '0:00 Welcome\n12:30 The good shepherd (teaching starts here)'
  const { audio, player } = await show({ chapters })
  const skip = await screen.findByRole('button', { name: 'Skip to the teaching' })
  const marked = () => screen.getAllByRole('button', { current: true }).map(({ textContent }) => textContent)
  expect(marked()).toEqual(['0:00Welcome'])
  act(() => audio.pause())
  audio.play.mockClear()
  await userEvent.click(skip)
  act(() => audio.reaches(audio.currentTime))
  expect([audio.currentTime, audio.play.mock.calls.length]).toEqual([750, 1])
  expect(marked()).toEqual(['12:30The good shepherdTeaching starts here'])
  expect(screen.queryByRole('button', { name: 'Skip to the teaching' })).toBeNull()
  player.close()
})

test('opens the text by a press, and at once for the next recording', async () => {
  const { player } = await show({ transcriptRev: 1, description: 'Of what does not fade.' })
  expect(await screen.findByText('Of what does not fade.')).toBeTruthy()
  await userEvent.click(await screen.findByRole('button', { name: 'Read along', expanded: false }))
  screen.getByRole('button', { name: 'Close the text', expanded: true })
  player.close()
  cleanup()
  const next = await show({ transcriptRev: 1 })
  await userEvent.click(await screen.findByRole('button', { name: 'Close the text' }))
  screen.getByRole('button', { name: 'Read along' })
  expect(localStorage.getItem('read-along')).toBe('false')
  next.player.close()
})

test('the page of the teaching and the close button leave the large player', async () => {
  const { player, onClose, onShow } = await show()
  expect(screen.queryByRole('button', { name: 'Read along' })).toBeNull()
  await userEvent.click(screen.getByRole('button', { name: 'About this teaching' }))
  expect([onClose.mock.calls.length, onShow.mock.calls.length]).toEqual([1, 1])
  await userEvent.click(screen.getByRole('button', { name: 'Stop and close the player' }))
  expect([onClose.mock.calls.length, player.state().status]).toEqual([2, 'closed'])
})

test('skips back and forward, each with its arrow', async () => {
  const { audio, player } = await show()
  act(() => audio.reaches(100))
  const press = async (name: string, arrow: string) => {
    const button = screen.getByRole('button', { name })
    expect(button.querySelector(arrow)).toBeTruthy()
    await userEvent.click(button)
    return audio.currentTime
  }
  expect(await press('Forward 30 seconds', '.lucide-rotate-cw')).toBe(130)
  expect(await press('Back 15 seconds', '.lucide-rotate-ccw')).toBe(115)
  player.close()
})

test('closes after a long swipe down by a finger alone', async () => {
  const { player, onClose } = await show()
  const handle = screen.getByText('Now playing')
  const swipe = (pointerType: string, pixels: number, end = fireEvent.pointerUp) => {
    fireEvent.pointerDown(handle, { pointerType, clientY: 100 })
    fireEvent.pointerMove(handle, { pointerType, clientY: 100 + pixels })
    end(handle, { pointerType })
  }
  swipe('touch', 79)
  swipe('mouse', 200)
  swipe('touch', 200, fireEvent.pointerCancel)
  expect(onClose).not.toHaveBeenCalled()
  swipe('touch', 80)
  expect(onClose).toHaveBeenCalledOnce()
  player.close()
})

test('shows why a recording does not play, and tries again', async () => {
  const { audio, player } = await show()
  expect(screen.queryByRole('alert')).toBeNull()
  vi.stubGlobal('fetch', () => Promise.reject(new TypeError('unreachable')))
  audio.error = { code: 2 }
  audio.say('error')
  expect((await screen.findByRole('alert')).textContent).toMatch(/^You’re offline\./)
  audio.play.mockClear()
  await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
  await waitFor(() => expect(screen.queryByRole('alert')).toBeNull())
  expect(audio.play).toHaveBeenCalledOnce()
  player.close()
})

test('the sleep timer names its first choice by its state', async () => {
  const { player } = await show()
  const select = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Sleep timer' })
  const offered = () => [...select.options].map(({ text }) => text).filter((text) => /timer|Stops/.test(text))
  expect([offered(), select.value]).toEqual([['Sleep timer'], 'off'])
  await userEvent.selectOptions(select, 'Stop after 15 min')
  expect([offered(), select.value]).toEqual([['Stops in 15 min', 'Sleep timer off'], 'running'])
  await userEvent.selectOptions(select, 'Sleep timer off')
  expect([player.state().sleep, offered()]).toEqual([null, ['Sleep timer']])
  player.close()
})
