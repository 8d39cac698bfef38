import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { fileSize } from '../../../lib/file-size.ts'
import { savedCount, type SavedShelf } from './device-state.list.ts'

/*
 * Every sentence about the state of saved recordings. Each is a function of the shelf, which is subscribed to the database, and
 * of the room that the browser reports.
 */

/** The look of the save button, and the effect of a tap. */
export interface SaveButtonState {
  words: string
  tone: 'plain' | 'busy' | 'done' | 'trouble'
  icon: 'save' | 'busy' | 'done' | 'again' | 'trouble'
  /** save: queues it (again) · manage: opens the sheet, for removing it or making room */
  leadsTo: 'save' | 'manage'
  problem?: string
}

/** @param bytes the size of the whole recording, shown if it is not saved */
export function saveButtonState(saved: SavedRecording | undefined, bytes: number): SaveButtonState {
  if (!saved)
    return { words: `Save offline (${fileSize(bytes)})`, tone: 'plain', icon: 'save', leadsTo: 'save' }
  switch (saved.state) {
    case 'ready':
      return { words: 'Saved', tone: 'done', icon: 'done', leadsTo: 'manage' }
    case 'waiting':
      if (saved.problem === 'device full') {
        return {
          words: 'Manage saved teaching',
          tone: 'trouble',
          icon: 'trouble',
          leadsTo: 'manage',
          problem:
            saved.bytes === 0
              ? 'Your device is full. It will be saved once you free some space.'
              : `Your device is full. ${percent(saved)} is saved; the rest follows once you free some space.`,
        }
      }
      return {
        words: saved.bytes === 0 ? 'Waiting' : percent(saved),
        tone: 'busy',
        icon: 'busy',
        leadsTo: 'manage',
      }
    case 'evicted':
      return { words: 'Removed by your device. Save again?', tone: 'trouble', icon: 'again', leadsTo: 'save' }
    case 'refused':
      return {
        words: 'Try to save again',
        tone: 'trouble',
        icon: 'again',
        leadsTo: 'save',
        problem: `It could not be saved: ${saved.problem ?? 'the server does not have it.'}`,
      }
    case 'dropped':
      return saveButtonState(undefined, bytes)
  }
}

/** The state of a saved recording in the list of all. */
export function recordingWords(recording: SavedRecording): { words: string; tone?: 'trouble' | 'failed' } {
  const { state, size, bytes, problem } = recording
  if (state === 'ready') return { words: fileSize(size) }
  if (state === 'evicted') return { words: 'Removed by your device', tone: 'trouble' }
  if (state === 'refused') return { words: problem ?? 'The server does not have it', tone: 'failed' }
  if (problem === 'device full') return { words: `Waits for room, ${percent(recording)}`, tone: 'failed' }
  return { words: bytes === 0 ? 'Waiting' : percent(recording) }
}

/** The sums of the sheet, by our own records: the figure of the browser is an estimate, in some browsers too high. */
export interface StorageWords {
  /** Bytes on this device, and those that they are a share of: with the pending ones, or with the free room. */
  here: number
  of: number
  /** 'Nothing', or the size of all that is here. */
  amount: string
  rest: string
  isComing: boolean
  isFull: boolean
}

/**
 * @param free bytes that the browser has room for; undefined if it does not report that
 * @param handouts bytes of the handouts of recordings
 */
export function storageWords(
  recordings: readonly SavedRecording[],
  { free, handouts }: { free: number | undefined; handouts: number },
): StorageWords {
  const here = recordings.reduce((sum, { bytes }) => sum + bytes, handouts)
  const wanted = recordings
    .filter(({ state }) => state === 'waiting')
    .reduce((sum, { size, bytes }) => sum + size - bytes, 0)
  const isComing = wanted > 0
  const isFull = recordings.some(({ problem }) => problem === 'device full')
  const isOfRoom = !isComing && free !== undefined && !isFull
  const room = isOfRoom ? ` of about ${fileSize(here + free)} available` : ''
  return {
    here,
    of: isOfRoom ? here + free : here + wanted,
    amount: here === 0 ? 'Nothing' : fileSize(here),
    rest: isComing ? `on this device, ${fileSize(wanted)} to come` : `used${room}`,
    isComing,
    isFull,
  }
}

/** For a collection of which no recording is missing; on a full device all that is pending waits for room. */
export function collectionWords(recordings: readonly (SavedRecording | undefined)[]): string {
  const waiting = recordings.filter((recording) => recording?.state === 'waiting')
  if (waiting.length === 0) return 'Everything of it is saved.'
  const isFull = waiting.some((recording) => recording?.problem === 'device full')
  return `Everything of it is saved ${isFull ? 'or waits for room' : 'or on its way'}.`
}

/**
 * The question before recordings are removed. Those that were played stay until their room is needed, if play-through is on; on a
 * full device it is needed now.
 */
export function removalQuestion(
  recordings: readonly SavedRecording[],
  { byKey }: Pick<SavedShelf, 'byKey'>,
  holdsAhead: boolean,
): string {
  const all = sizeOf(recordings)
  const isFull = [...byKey.values()].some(({ problem }) => problem === 'device full')
  const stays = holdsAhead && !isFull ? sizeOf(recordings.filter(({ lastPlayedAt }) => lastPlayedAt)) : 0
  const again = 'You can save it again while you have signal.'
  if (stays === 0) return `This frees ${fileSize(all)}. ${again}`
  const now = all > stays ? `${fileSize(all - stays)} now, and ${fileSize(stays)}` : fileSize(stays)
  return `This frees ${now} when the room is needed, as you played it. ${again}`
}

const sizeOf = (recordings: readonly SavedRecording[]) =>
  recordings.reduce((sum, { bytes }) => sum + bytes, 0)

/** 'Saved (3)': the recordings that are whole on this device. */
export const savedWords = (shelf: SavedShelf): string =>
  shelf.status === 'known' ? `Saved (${savedCount(shelf)})` : 'Saved'

/** Whether something is downloaded, or will be without a person. */
export const isSaving = ({ byKey }: SavedShelf): boolean =>
  [...byKey.values()].some(({ state, problem }) => state === 'waiting' && problem !== 'device full')

/** '62 %'; at most 99 until it is verified. */
const percent = ({ bytes, size }: Pick<SavedRecording, 'bytes' | 'size'>): string =>
  `${Math.min(99, Math.floor((bytes / size) * 100))} %`

/** Shown if the request to save could not be stored. */
export const noRoomSentence = 'Your device is full. Free some space and try again.'
