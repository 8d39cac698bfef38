import { vttOf, withTimes } from '@fellowship/schema/transcripts/vtt-file'
import type { Context } from '../../context.ts'
import { findTeachingByUid } from '../teachings/teachings.ts'
import { approvedTexts } from './transcripts.sql.ts'

/** The approved text of a teaching as a WebVTT file; undefined if there is none. Sentences without times get estimates. */
export async function approvedVtt({ sql }: Pick<Context, 'sql'>, uid: string): Promise<string | undefined> {
  const [text] = await approvedTexts(sql, [uid])
  if (!text) return undefined
  const duration = (await findTeachingByUid(sql, uid))?.duration
  return vttOf(withTimes(text.sentences, durationMs(duration)), text.language)
}

/** Of m:ss or h:mm:ss. */
const durationMs = (duration: string | null | undefined): number | undefined =>
  duration ? duration.split(':').reduce((sum, part) => sum * 60 + Number(part), 0) * 1000 : undefined
