import type { SoundFault } from './copies.contract.ts'

/** Messages about small copies and about how recordings sound. */
export const copyTexts = {
  fileMissing: 'Its file is missing or damaged.',
  loadFailed: 'The small copies could not be loaded',
  changeFailed: 'The small copies could not be changed',
  faults: {
    no_sound: 'There is no sound in it.',
    very_quiet: 'It is very quiet: turn up the level of the recorder.',
    clipped: 'It is clipped: the level was too high, and loud words crackle.',
    left_silent: 'The left channel is silent.',
    right_silent: 'The right channel is silent.',
    silent_start: 'It begins with a long silence.',
    silent_end: 'It ends with a long silence.',
  } satisfies Record<SoundFault, string>,
} as const
