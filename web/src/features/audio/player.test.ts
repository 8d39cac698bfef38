import { beforeEach, describe, expect, it, vi } from 'vitest'
import { playerOf, type Player, type Recording } from './player.ts'

/** The part of an audio element that the player stands on; it makes no sound, and says what a browser would say. */
class SilentAudio extends EventTarget {
  src = ''
  currentTime = 0
  duration = Number.NaN
  readyState = 0
  paused = true
  playbackRate = 1
  defaultPlaybackRate = 1
  error: { code: number } | null = null
  play = vi.fn(async () => {
    this.paused = false
  })
  load = vi.fn(() => {
    this.error = null
  })
  pause(): void {
    this.paused = true
    this.say('pause')
  }
  say(...names: string[]): void {
    for (const name of names) this.dispatchEvent(new Event(name))
  }
  /** The file has arrived and sounds. */
  starts(duration: number): void {
    this.duration = duration
    this.readyState = 1
    this.say('loadedmetadata', 'playing')
  }
}

const first: Recording = { uid: 'a', title: 'Hope', audioUrl: '/audio/a.mp3', duration: '42:10' }
const second: Recording = { uid: 'b', title: 'Grace', audioUrl: '/audio/b.mp3', duration: null }
let audio: SilentAudio
let player: Player

beforeEach(() => {
  audio = new SilentAudio()
  player = playerOf(audio as unknown as HTMLAudioElement)
})

describe('a recording that does not play', () => {
  it('fails where the file cannot be had, and may be tried again', () => {
    player.toggle(first)
    audio.error = { code: 4 }
    audio.say('error')
    expect(player.state().status).toBe('failed')
    player.play()
    expect(audio.load).toHaveBeenCalledOnce()
    expect(player.state().status).toBe('loading')
  })

  it('is paused, not failed, where the browser wants a tap first', async () => {
    audio.play.mockRejectedValueOnce(new DOMException('tap first', 'NotAllowedError'))
    player.toggle(first)
    await Promise.resolve()
    await Promise.resolve()
    expect(player.state().status).toBe('paused')
  })

  it('says nothing while nothing is open', () => {
    audio.say('error', 'playing', 'pause')
    player.play()
    expect(player.state().status).toBe('closed')
    expect(audio.play).not.toHaveBeenCalled()
  })
})

describe('one recording at a time', () => {
  it('opens with the length the library knows, until the file tells', () => {
    player.toggle(first)
    expect(audio.src).toBe('/audio/a.mp3')
    expect(player.state()).toMatchObject({ status: 'loading', duration: 2530 })
    audio.starts(2531.4)
    expect(player.state()).toMatchObject({ status: 'playing', duration: 2531.4 })
  })

  it('pauses and closes the open one', () => {
    player.toggle(first)
    audio.starts(2530)
    player.toggle(first)
    expect(audio.paused).toBe(true)
    expect(player.state()).toMatchObject({ status: 'closed', recording: null })
  })

  it('closes the first when another opens, and finds its place again', () => {
    player.toggle(first)
    audio.starts(2530)
    audio.currentTime = 700
    audio.say('timeupdate')
    player.toggle(second)
    expect(player.state()).toMatchObject({ recording: { uid: 'b' }, position: 0, duration: null })
    player.toggle(first)
    expect(player.state().position).toBe(700)
    audio.currentTime = 0
    audio.starts(2530)
    expect(audio.currentTime).toBe(700)
  })

  it('begins anew after its end', () => {
    player.toggle(first)
    audio.starts(2530)
    audio.currentTime = 2530
    audio.say('pause', 'ended')
    expect(player.state()).toMatchObject({ status: 'paused', position: 0 })
    expect(audio.currentTime).toBe(0)
  })
})

describe('moving in it', () => {
  beforeEach(() => {
    player.toggle(first)
    audio.starts(100)
  })

  it('stays between the beginning and the end', () => {
    player.skip(-15)
    expect(audio.currentTime).toBe(0)
    player.seek(90)
    player.skip(30)
    expect(audio.currentTime).toBe(100)
  })

  it('keeps the speed for the next recording', () => {
    player.setSpeed(1.5)
    expect(audio.playbackRate).toBe(1.5)
    player.toggle(second)
    expect(audio.playbackRate).toBe(1.5)
    expect(player.state().speed).toBe(1.5)
  })
})
