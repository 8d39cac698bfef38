import type { SoundFault } from './copies.contract.ts'

/** Messages about small copies and about how recordings sound. */
export const copyTexts = {
  fileMissing: 'Its file is missing or damaged.',
  loadFailed: 'The small copies could not be loaded',
  changeFailed: 'The small copies could not be changed',
  inBackups: 'Put small copies into backups',
  inBackupsHint: (adds: string) =>
    `They add ${adds} to each backup. Left out, a restore makes them anew, which takes about a minute for each hour.`,
  notTrimmable:
    'A recording in this format cannot be cut without loss. Cut it on your device, and replace the recording.',
  nothingToTrim: 'There is no long silence at the start or the end of this recording.',
  notTrimmed: 'This recording is not a trimmed one.',
  untouchedMissing: 'The original is not on the server any more. Upload it again by editing the teaching.',
  trimmed: 'Silence cut off',
  trimmedAdvice: 'The original is kept.',
  broughtBack: 'The original is restored',
  trimFailed: 'The recording could not be trimmed',
  untrimFailed: 'The original could not be restored',
  /** State of the sound check of the latest upload, if it has no fault. */
  latest: (title: string, state: 'waiting' | 'unmeasurable' | 'fine') =>
    ({
      waiting: `“${title}” is published. How it sounds is checked now, and told here in a minute or two.`,
      unmeasurable: `“${title}” is published. How it sounds could not be checked: listen to a part of it.`,
      fine: `“${title}” is published. Sound is good.`,
    })[state],
  /** @param share of the recording that was heard, 0 to 1 */
  checking: (share: number) => `Checking how it sounds: ${Math.floor(share * 100)} %.`,
  notChecked: 'How it sounds could not be checked here: listen to a part of it.',
  soundsFine: 'Sound is good.',
  trimLater: 'You can trim it after uploading.',
  /** @param trim seconds at both ends */
  canTrim: ({ start, end }: { start: number; end: number }) => {
    const parts = [
      start > 0 && `${Math.round(start)} s at the start`,
      end > 0 && `${Math.round(end)} s at the end`,
    ]
    return `${parts.filter(Boolean).join(' and ')} can be cut off. Nothing else changes, and you can undo it.`
  },
  wasTrimmed: (duration: string | null, size: string) =>
    `It was trimmed. The original (${[duration, size].filter(Boolean).join(', ')}) is kept.`,
  faults: {
    no_sound: 'There is no sound in it.',
    very_quiet: 'It is very quiet: turn up the level of the recorder.',
    clipped: 'It is clipped: the level was too high, and loud words crackle.',
    left_silent: 'The left channel is silent.',
    right_silent: 'The right channel is silent.',
    hum: 'It hums: look for a loose cable, or a power supply near the microphone.',
    silent_start: 'It begins with a long silence.',
    silent_end: 'It ends with a long silence.',
  } satisfies Record<SoundFault, string>,
} as const
