import { vi } from 'vitest'

/** The part of an audio element that the player stands on; it makes no sound, and fires a browser's events. */
export class SilentAudio extends EventTarget {
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
    this.error = null
  })
  /** Without an event if it is paused already, as in browsers. */
  pause(): void {
    if (this.paused) return
    this.paused = true
    this.say('pause')
  }
  removeAttribute(): void {
    this.src = ''
  }
  load(): void {
    this.error = null
    this.readyState = 0
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
  /** The clock goes on to `seconds`. */
  reaches(seconds: number): void {
    this.currentTime = seconds
    this.say('timeupdate')
  }
}
