import 'fake-indexeddb/auto'
import { appDatabase } from '@fellowship/sync/client/database/app-database'
import { audioDatabase } from '@fellowship/sync/client/database/audio-database'
import { notePosition, readPosition } from '@fellowship/sync/client/listening/listening.store'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { isPageHeld } from '../../../lib/busy.ts'
import { SilentAudio } from '../../../testing/silent-audio.ts'
import { playerOf } from './player.ts'
import type { Player, Playable } from './player-state.ts'
import type { Positions } from '../../listening/positions-state.ts'
import { positionsKnown, positionsNow } from '../../listening/positions.ts'
import { savedKnown, savedOf } from '../saved/saved.ts'

const known = { speaker: 'John Smith', duration: '42:10' }
const first: Playable = { ...known, uid: 'a', title: 'Hope', audioUrl: '/audio/a.mp3' }
const second: Playable = { ...known, uid: 'b', title: 'Grace', audioUrl: '/audio/b.mp3', duration: null }
let audio: SilentAudio
let player: Player

beforeEach(async () => {
  localStorage.clear()
  await Promise.all([savedKnown(), positionsKnown()])
  // The previous test saved its position as it ended; the page notices the cleared table a little later.
  await import('../../listening/positions.device.ts')
  await appDatabase().positions.clear()
  await vi.waitFor(() => expect(positionsNow()?.size).toBe(0), { interval: 1 })
  audio = new SilentAudio()
  player = playerOf(audio as unknown as HTMLAudioElement)
})
afterEach(() => {
  player.close()
  vi.unstubAllGlobals()
})

const saved = (uid: string) => readPosition(uid)

describe('a recording that does not play', () => {
  const fails = (answer: () => Promise<Response>) => {
    vi.stubGlobal('fetch', answer)
    player.toggle(first)
    audio.error = { code: 4 }
    audio.say('error')
  }

  test('fails as unreachable offline, then retries', async () => {
    let line = false
    fails(() => (line ? Promise.resolve(new Response(null)) : Promise.reject(new TypeError('unreachable'))))
    await vi.waitFor(() => expect(player.state()).toMatchObject({ status: 'failed', failure: 'unreachable' }))
    line = true
    audio.error = null
    window.dispatchEvent(new Event('online'))
    await vi.waitFor(() => expect(player.state()).toMatchObject({ status: 'loading', failure: null }))
    expect(audio.play).toHaveBeenCalledTimes(2)
  })

  describe('paused while it failed', () => {
    let line = true
    /** It sounds for ten minutes, then the line goes. */
    const loses = () => {
      line = true
      vi.stubGlobal('fetch', () =>
        line ? Promise.resolve(new Response(null)) : Promise.reject(new TypeError('unreachable')),
      )
      player.toggle(first)
      audio.starts(2530)
      audio.reaches(600)
      line = false
      audio.error = { code: 2 }
      audio.say('error')
      audio.play.mockClear()
    }
    const isLost = () =>
      vi.waitFor(() => expect(player.state()).toMatchObject({ status: 'failed', failure: 'unreachable' }))
    const comesBack = async () => {
      line = true
      audio.error = null
      window.dispatchEvent(new Event('online'))
      await vi.waitFor(() => expect(player.state().failure).toBe(null))
    }

    test.each<[string, () => Promise<unknown>]>([
      ['by the headset', async () => (await isLost(), player.pause())],
      ['while it was found out why', async () => (player.pause(), await isLost())],
      ['by the sleep timer', async () => (await isLost(), vi.advanceTimersByTime(15 * 60_000))],
    ])('stays paused when the server answers, paused %s', async (_, falls) => {
      vi.useFakeTimers({ toFake: ['Date', 'setTimeout', 'clearTimeout'], shouldAdvanceTime: true })
      onTestFinished(() => void vi.useRealTimers())
      player.setSleep(15)
      loses()
      player.setSleep(15)
      await falls()
      await comesBack()
      expect(player.state()).toMatchObject({ status: 'paused', position: 600 })
      expect(audio.play).not.toHaveBeenCalled()
    })

    test('plays when the server answers after pause and play', async () => {
      loses()
      await isLost()
      player.pause()
      player.play()
      audio.play.mockClear()
      await comesBack()
      expect(player.state().status).toBe('loading')
    })
  })

  test.each([200, 403, 404])('fails as unreachable if a portal answers with HTML, %i', async (status) => {
    const headers = { 'content-type': 'text/html; charset=utf-8' }
    fails(() => Promise.resolve(new Response(null, { status, headers })))
    await vi.waitFor(() => expect(player.state()).toMatchObject({ status: 'failed', failure: 'unreachable' }))
  })

  test.each([500, 503, 429])('waits for a server that answers %i', async (status) => {
    fails(() => Promise.resolve(new Response(null, { status })))
    await vi.waitFor(() => expect(player.state()).toMatchObject({ status: 'failed', failure: 'unreachable' }))
  })

  test('fails as refused on a 404, and plays again', async () => {
    fails(() => Promise.resolve(new Response(null, { status: 404 })))
    await vi.waitFor(() => expect(player.state().failure).toBe('refused'))
    player.play()
    expect(player.state()).toMatchObject({ status: 'loading', failure: null })
  })

  test('fails as unplayable if the server has the file', async () => {
    fails(() => Promise.resolve(new Response(null)))
    await vi.waitFor(() => expect(player.state().failure).toBe('unplayable'))
  })

  test('is paused if the browser requires a user gesture', async () => {
    audio.play.mockRejectedValueOnce(new DOMException('tap first', 'NotAllowedError'))
    player.toggle(first)
    await vi.waitFor(() => expect(player.state().status).toBe('paused'))
  })

  test('ignores events and play while closed', () => {
    audio.say('error', 'playing', 'pause')
    player.play()
    expect(player.state().status).toBe('closed')
    expect(audio.play).not.toHaveBeenCalled()
  })
})

describe('a recording that is saved while it plays from the network', () => {
  const key = 'a'.repeat(64)
  const heard: Playable = { ...first, audioUrl: `/audio/${key}.mp3` }
  const save = async () => {
    const { audioUrl: url, speaker, title } = heard
    const words = { teachingUid: 'a', title, speaker, date: '2026-11-22', type: 'audio/mpeg' }
    await audioDatabase().chunks.put({ key, index: 0, data: new ArrayBuffer(3) })
    await audioDatabase().recordings.put({
      ...words,
      key,
      url,
      size: 3,
      bytes: 3,
      state: 'ready',
      savedAt: 1,
    })
    await vi.waitFor(() => expect(savedOf(heard.audioUrl)?.state).toBe('ready'))
  }
  const fromDevice = () =>
    vi.waitFor(() => {
      expect(audio.src).toMatch(/^blob:/)
      expect(audio.currentTime).toBe(30)
      expect(player.state()).toMatchObject({ status: 'loading', saved: true })
    })
  beforeEach(async () => {
    await audioDatabase().recordings.clear()
    await vi.waitFor(() => expect(savedOf(heard.audioUrl)).toBeUndefined())
    vi.spyOn(URL, 'createObjectURL').mockReturnValue('blob:kept')
    player.toggle(heard)
    audio.starts(100)
    audio.reaches(30)
  })

  test('keeps playing from the network while it delivers', async () => {
    await save()
    audio.reaches(31)
    expect(audio.src).toBe(heard.audioUrl)
  })

  test('continues from the saved copy when the network stalls', async () => {
    await save()
    audio.say('waiting')
    await fromDevice()
  })

  test('continues from a copy saved after the network stalled', async () => {
    audio.say('waiting')
    await save()
    await fromDevice()
  })

  test('continues from the saved copy after a network error', async () => {
    vi.stubGlobal('fetch', () => Promise.reject(new TypeError('unreachable')))
    await save()
    audio.error = { code: 2 }
    audio.say('error')
    await fromDevice()
  })

  test('stays paused when paused before its blob was read', async () => {
    await save()
    player.close()
    audio.play.mockClear()
    player.toggle(heard)
    player.pause()
    await vi.waitFor(() => expect(audio.src).toMatch(/^blob:/))
    expect(player.state().status).toBe('paused')
    expect(audio.play).not.toHaveBeenCalled()
  })
})

describe('the saved position', () => {
  test('closing without playing keeps the saved position', async () => {
    await notePosition('a', { seconds: 900, duration: 2530, at: Date.now() - 1000 })
    player.toggle(first)
    audio.duration = 2530
    audio.say('loadedmetadata', 'timeupdate', 'pause')
    player.close()
    expect((await saved('a'))?.seconds).toBe(900)
  })

  test('saves the position on progress, pause and pagehide', async () => {
    player.toggle(first)
    audio.starts(2530)
    audio.reaches(100)
    await vi.waitFor(async () => expect((await saved('a'))?.seconds).toBe(100))
    audio.reaches(103)
    audio.pause()
    await vi.waitFor(async () => expect((await saved('a'))?.seconds).toBe(103))
    audio.reaches(110)
    window.dispatchEvent(new Event('pagehide'))
    // The next page writes it: a database that is written while its page ends may stay locked.
    const { watchPositions } = await import('../../listening/positions.device.ts')
    expect((await saved('a'))?.seconds).toBe(103)
    const seen = vi.fn<(positions: Positions) => void>()
    await watchPositions(seen)
    expect(seen.mock.calls[0]![0].get('a')).toMatchObject({ seconds: 110 })
    expect((await saved('a'))?.seconds).toBe(110)
  })

  test('saves the position of a page that is hidden', async () => {
    const visibility = vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('visible')
    player.toggle(first)
    audio.starts(2530)
    audio.reaches(100)
    await vi.waitFor(async () => expect((await saved('a'))?.seconds).toBe(100))
    audio.reaches(103)
    document.dispatchEvent(new Event('visibilitychange'))
    const { watchPositions } = await import('../../listening/positions.device.ts')
    const placeAfter = async () => {
      const seen = vi.fn<(positions: Positions) => void>()
      await watchPositions(seen)
      return seen.mock.calls[0]![0].get('a')?.seconds
    }
    expect(await placeAfter(), 'while it is visible').toBe(100)
    visibility.mockReturnValue('hidden')
    document.dispatchEvent(new Event('visibilitychange'))
    expect(await placeAfter()).toBe(103)
  })

  test('resumes at the saved position; startAgain discards it', async () => {
    await notePosition('b', { seconds: 700, duration: 2530, at: Date.now() - 1000 })
    const { positionsNow } = await import('../../listening/positions.ts')
    await vi.waitFor(() => expect(positionsNow()?.get('b')?.seconds).toBe(700))
    player.toggle(second)
    audio.starts(2530)
    expect(audio.currentTime).toBe(700)
    expect(player.state()).toMatchObject({ position: 700, resumedAt: 700 })
    player.startAgain()
    expect(player.state()).toMatchObject({ position: 0, resumedAt: null })
    await vi.waitFor(async () => expect((await saved('b'))?.seconds).toBe(0))
  })

  test('startAgain begins at 0 before metadata is loaded', async () => {
    await notePosition('a', { seconds: 700, duration: 2530, at: 1 })
    await vi.waitFor(() => expect(positionsNow()?.get('a')?.seconds).toBe(700))
    player.toggle(first)
    expect(player.state()).toMatchObject({ status: 'loading', position: 700 })
    player.startAgain()
    // Browsers begin at a position that was set before the metadata.
    audio.currentTime = 700
    audio.starts(2530)
    audio.say('timeupdate')
    expect(player.state().position).toBe(0)
  })

  test('resumes at the position of another tab if newer', async () => {
    player.toggle(first)
    audio.starts(2530)
    audio.reaches(600)
    player.close()
    await vi.waitFor(async () => expect(await saved('a')).toMatchObject({ seconds: 600 }))
    await notePosition('a', { seconds: 1800, duration: 2530, at: Date.now() + 5 })
    await vi.waitFor(() => expect(positionsNow()?.get('a')?.seconds).toBe(1800))
    player.toggle(first)
    expect(player.state().position).toBe(1800)
  })

  test('offers the way back after a long jump', () => {
    player.toggle(first)
    audio.starts(2530)
    audio.reaches(1200)
    player.seek(60)
    expect(player.state().jumpedFrom).toBe(1200)
  })
})

describe('one recording at a time', () => {
  test("shows the library's duration, else the element's", () => {
    player.toggle(first)
    expect(audio.src).toBe('/audio/a.mp3')
    expect(player.state()).toMatchObject({ status: 'loading', duration: 2530, saved: false })
    audio.starts(2531.4)
    expect(player.state()).toMatchObject({ status: 'playing', duration: 2530 })
    player.toggle(second)
    expect(player.state().duration).toBe(null)
    audio.starts(2531.4)
    expect(player.state().duration).toBe(2531.4)
  })

  test('closes the open one when toggled, and releases the page', () => {
    player.toggle(first)
    audio.starts(2530)
    expect(isPageHeld()).toBe(true)
    player.toggle(first)
    expect(audio.paused).toBe(true)
    expect(player.state()).toMatchObject({ status: 'closed', recording: null })
    expect(isPageHeld()).toBe(false)
  })

  test('clears the source and the media session when closed', async () => {
    const session = {
      playbackState: 'none',
      metadata: null,
      setActionHandler: vi.fn(),
      setPositionState: vi.fn(),
    }
    vi.stubGlobal(
      'MediaMetadata',
      class {
        shown: string
        constructor({ title, artist }: { title: string; artist: string }) {
          this.shown = `${title}, ${artist}`
        }
      },
    )
    vi.stubGlobal('navigator', { ...navigator, mediaSession: session })
    const other = new SilentAudio()
    const shown = playerOf(other as unknown as HTMLAudioElement)
    shown.toggle(first)
    other.starts(2530)
    await vi.waitFor(() => expect(session.playbackState).toBe('playing'))
    other.reaches(20)
    const metadata = { shown: `Hope, ${first.speaker}` }
    expect([session.playbackState, session.metadata]).toEqual(['playing', metadata])
    other.pause()
    expect([session.playbackState, session.metadata]).toEqual(['paused', metadata])
    session.setActionHandler.mockClear()
    shown.close()
    expect([session.playbackState, session.metadata, other.src]).toEqual(['none', null, ''])
    expect(session.setActionHandler).toHaveBeenCalledWith('play', null)
  })

  test('seeks from the lock screen, also to the beginning', async () => {
    const session = { setActionHandler: vi.fn(), setPositionState: vi.fn() }
    vi.stubGlobal('MediaMetadata', class {})
    vi.stubGlobal('navigator', { ...navigator, mediaSession: session })
    const other = new SilentAudio()
    const shown = playerOf(other as unknown as HTMLAudioElement)
    shown.toggle(first)
    other.starts(2530)
    await vi.waitFor(() => expect(session.setActionHandler).toHaveBeenCalled())
    const handlers = new Map(session.setActionHandler.mock.calls as [string, MediaSessionActionHandler][])
    const positions = [{ seekTime: 1200 }, {}, { seekTime: 0 }].map((details) => {
      handlers.get('seekto')!({ action: 'seekto', ...details })
      return other.currentTime
    })
    expect(positions).toEqual([1200, 1200, 0])
    const press = (action: MediaSessionAction, details: object = {}) => {
      handlers.get(action)!({ action, ...details })
      return other.currentTime
    }
    expect([press('seekforward'), press('seekforward', { seekOffset: 5 })]).toEqual([30, 35])
    expect([press('seekbackward', { seekOffset: 5 }), press('seekbackward')]).toEqual([30, 15])
    press('pause')
    expect(other.paused).toBe(true)
    press('play')
    expect(other.paused).toBe(false)
    press('stop')
    expect(shown.state().status).toBe('closed')
  })

  test('closes the first when another opens, and resumes it later', () => {
    player.toggle(first)
    audio.starts(2530)
    audio.reaches(700)
    player.toggle(second)
    expect(player.state()).toMatchObject({ recording: { uid: 'b' }, position: 0, duration: null })
    player.toggle(first)
    expect(player.state().position).toBe(700)
    audio.currentTime = 0
    audio.starts(2530)
    expect(audio.currentTime).toBe(700)
  })

  test('rewinds after the end', () => {
    player.toggle(first)
    audio.starts(2530)
    audio.currentTime = 2530
    audio.say('pause', 'ended')
    expect(player.state()).toMatchObject({ status: 'paused', position: 0 })
    expect(audio.currentTime).toBe(0)
  })
})

test('the lock screen shows a failed recording as paused', async () => {
  const session = { playbackState: 'none', setActionHandler: vi.fn(), setPositionState: vi.fn() }
  vi.stubGlobal('MediaMetadata', class {})
  vi.stubGlobal('navigator', { ...navigator, mediaSession: session })
  vi.stubGlobal('fetch', () => Promise.resolve(new Response(null, { status: 404 })))
  const other = new SilentAudio()
  const shown = playerOf(other as unknown as HTMLAudioElement)
  shown.toggle(first)
  other.starts(2530)
  await vi.waitFor(() => expect(session.playbackState).toBe('playing'))
  other.error = { code: 4 }
  other.say('error')
  await vi.waitFor(() => expect(shown.state().status).toBe('failed'))
  expect(session.playbackState).toBe('paused')
  shown.close()
})

test('the lock screen stands still while playback waits', async () => {
  const session = { playbackState: 'none', setActionHandler: vi.fn(), setPositionState: vi.fn() }
  vi.stubGlobal('MediaMetadata', class {})
  vi.stubGlobal('navigator', { ...navigator, mediaSession: session })
  const other = new SilentAudio()
  const shown = playerOf(other as unknown as HTMLAudioElement)
  shown.toggle(first)
  other.starts(2530)
  await vi.waitFor(() => expect(session.playbackState).toBe('playing'))
  other.reaches(600)
  other.say('waiting')
  const { position, playbackRate } = session.setPositionState.mock
    .lastCall![0] as Required<MediaPositionState>
  expect([session.playbackState, position, playbackRate < 0.01]).toEqual(['playing', 600, true])
  other.say('playing')
  expect(session.setPositionState).toHaveBeenLastCalledWith({
    duration: 2530,
    position: 600,
    playbackRate: 1,
  })
  shown.close()
})

describe('a recording whose length the element estimates wrongly', () => {
  const short: Playable = { ...first, duration: '0:21' }

  test('the lock screen shows the counted length', async () => {
    const session = { playbackState: 'none', setActionHandler: vi.fn(), setPositionState: vi.fn() }
    vi.stubGlobal('MediaMetadata', class {})
    vi.stubGlobal('navigator', { ...navigator, mediaSession: session })
    const other = new SilentAudio()
    const shown = playerOf(other as unknown as HTMLAudioElement)
    shown.toggle(short)
    other.starts(81)
    await vi.waitFor(() => expect(session.setPositionState).toHaveBeenCalled())
    other.duration = 24
    other.say('durationchange')
    expect(shown.state().duration).toBe(21)
    other.currentTime = 21.6
    other.say('seeked')
    expect(session.setPositionState.mock.calls.map(([{ duration }]) => duration as number)).toEqual(
      session.setPositionState.mock.calls.map(() => 21),
    )
    expect(session.setPositionState).toHaveBeenLastCalledWith({ duration: 21, position: 21, playbackRate: 1 })
    shown.close()
  })

  test('clamps the position until the element ends', async () => {
    player.toggle(short)
    audio.starts(81)
    audio.reaches(20.8)
    audio.reaches(30)
    expect(player.state()).toMatchObject({ status: 'playing', position: 21, duration: 21 })
    // WebKit reports 'waiting' without a later 'playing'.
    audio.say('waiting')
    audio.reaches(30.2)
    audio.reaches(30.4)
    expect(player.state().status).toBe('playing')
    audio.paused = true
    audio.say('pause', 'ended')
    expect(player.state()).toMatchObject({ status: 'paused', position: 0, hasEnded: true })
    await vi.waitFor(async () => expect(await saved('a')).toMatchObject({ seconds: 21, duration: 21 }))
  })

  test('counts as heard when the element ends early', async () => {
    player.toggle(first)
    audio.starts(2400)
    audio.reaches(2400)
    audio.paused = true
    audio.say('pause', 'ended')
    expect(player.state()).toMatchObject({ status: 'paused', position: 0, hasEnded: true })
    await vi.waitFor(async () => expect(await saved('a')).toMatchObject({ seconds: 2530, duration: 2530 }))
  })
})

describe('seeking and speed', () => {
  beforeEach(() => {
    player.toggle(first)
    audio.starts(100)
  })

  test('clamps to the counted length', () => {
    player.skip(-15)
    expect(audio.currentTime).toBe(0)
    player.seek(2520)
    player.skip(30)
    expect(audio.currentTime).toBe(2530)
  })

  test('remembers the speed per speaker', () => {
    player.setSpeed(1.5)
    expect(audio.playbackRate).toBe(1.5)
    player.toggle(second)
    expect(player.state().speed).toBe(1.5)
    player.toggle({ ...second, uid: 'c', speaker: 'Somebody Else' })
    expect(audio.playbackRate).toBe(1)
  })
})

describe('the sleep timer', () => {
  test('pauses when due even if timers are throttled', () => {
    vi.useFakeTimers({ toFake: ['Date'] })
    player.toggle(first)
    audio.starts(2530)
    player.setSleep(15)
    audio.reaches(10)
    expect(audio.paused).toBe(false)
    vi.setSystemTime(Date.now() + 15 * 60_000)
    audio.reaches(910)
    expect(player.state()).toMatchObject({ status: 'paused', sleep: null })
    vi.useRealTimers()
  })

  test('the sleep timer closes at the end of the teaching', () => {
    player.toggle(first)
    audio.starts(2530)
    player.setSleep('end')
    audio.currentTime = 2530
    audio.say('pause', 'ended')
    expect(player.state().status).toBe('closed')
  })
})
