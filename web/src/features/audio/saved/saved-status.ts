import type { SavedRecording } from '@fellowship/sync/client/database/audio-database'
import { fileSize } from '../../../lib/file-size.ts'

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

/** '62 %'; at most 99 until it is verified. */
export const percent = ({ bytes, size }: Pick<SavedRecording, 'bytes' | 'size'>): string =>
  `${Math.min(99, Math.floor((bytes / size) * 100))} %`

/** Shown if the request to save could not be stored. */
export const noRoomSentence = 'Your device is full. Free some space and try again.'
