import { isPlainDate } from '@fellowship/schema/dates'
import { isRecorderName } from '@fellowship/schema/uploads/parse-filename'
import type { TeachingText } from '@fellowship/schema/teachings/teaching-words'
import { parseBlob } from 'music-metadata'

/** What the tags of a recording say of it; what they do not say is absent. */
export type RecordingTags = Partial<Pick<TeachingText, 'title' | 'speaker' | 'date'>>

/**
 * Reads title, artist and date from ID3, MP4 and WAV tags. What recorders write by themselves ('New Recording 12') is left
 * out, and so is a date that is only a year. Never rejects: a file without readable tags has none.
 */
export async function readTags(file: Blob): Promise<RecordingTags> {
  const { common } = await parseBlob(file, { skipCovers: true, duration: false }).catch(() => ({
    common: { title: undefined, artist: undefined, date: undefined },
  }))
  const date = common.date?.slice(0, 10)
  return {
    ...(isSaid(common.title) && { title: common.title.trim() }),
    ...(isSaid(common.artist) && { speaker: common.artist.trim() }),
    ...(date !== undefined && isPlainDate(date) && { date }),
  }
}

const isSaid = (text: string | undefined): text is string =>
  text !== undefined && /\p{L}{2}/u.test(text) && !isRecorderName(text) && !unknown.test(text.trim())

const unknown = /^(?:unknown(?: artist)?|various(?: artists)?|untitled|artist|title)$/i
