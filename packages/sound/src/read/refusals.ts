import { Problem } from '@fellowship/schema/problem'

const remedy = 'Export it as MP3 and send it again.'

/** Reasons to refuse a recording, each with how to fix it. */
export const audioRefusals = {
  empty: () => refuse('This file is empty. Choose the recording again.'),
  unplayable: (format: string) =>
    refuse(`This recording uses a format browsers cannot play (${format}). ${remedy}`),
  video: () => refuse(`This file is a video, not a recording. ${remedy}`),
  noSound: () => refuse(`This recording holds no sound. ${remedy}`),
  damaged: () => refuse(`This recording is damaged and cannot be read to its end. ${remedy}`),
  unfinished: () =>
    refuse(
      'This recording was never finished: its index is missing. Save it again on the device that made it.',
    ),
  freeFormat: () =>
    refuse(
      `This MP3 is free-format: it has no bitrate that browsers know, so they cannot play it. ${remedy}`,
    ),
  changesRate: () =>
    refuse(
      `This MP3 changes its sample rate part-way, where browsers stop. Open it in an audio editor, export it as one MP3 and send that.`,
    ),
  notAudio: () => new Problem('unsupported_audio'),
} as const

const refuse = (sentence: string) => new Problem('unsupported_audio', sentence)

/** A duration as m:ss or h:mm:ss, rounded to the nearest second. */
export function formatDuration(seconds: number): string {
  const whole = Math.round(seconds)
  const [hours, minutes, rest] = [Math.floor(whole / 3600), Math.floor((whole % 3600) / 60), whole % 60]
  const two = (n: number) => String(n).padStart(2, '0')
  return hours > 0 ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`
}
