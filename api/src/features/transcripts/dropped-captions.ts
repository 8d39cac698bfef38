import { lstat, readFile } from 'node:fs/promises'
import { churchDate } from '@fellowship/schema/dates'
import { Problem } from '@fellowship/schema/problem'
import { captionName, namedAlike } from '@fellowship/schema/transcripts/caption-names'
import { transcriptBinDays, transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { parseFilename } from '@fellowship/schema/uploads/parse-filename'
import type { Context } from '../../context.ts'
import { inTransaction, type Transaction } from '../../db/connection.ts'
import { findDuplicate, findTeachingByUid } from '../teachings/teachings.ts'
import { readCaptionBytes } from './caption-bytes.ts'
import {
  droppedName,
  dropText,
  forgetText,
  lockTexts,
  noteRecordingName,
  purgeDropped,
} from './transcripts.sql.ts'
import { putDraft } from './drafts.ts'

type Parts = Pick<Context, 'sql' | 'clock'>

/** SFTP uploads have no user account. */
const soundDesk = { id: null, name: 'the sound desk' }

/**
 * Takes a caption file that arrived by SFTP: it becomes the draft of the teaching whose recording has the same name, now or
 * when that arrives.
 *
 * @throws Problem `invalid_input` with the line, `unsupported_media`, `too_large`
 */
export async function takeCaption(context: Parts, filename: string, file: string): Promise<void> {
  if ((await lstat(file)).size > transcriptLimits.fileBytes) throw new Problem('too_large', texts.tooLarge)
  const text = readCaptionBytes(await readFile(file))
  const { stem, language } = captionName(filename)
  const { sql, clock } = context
  const waiting = { name: namedAlike(stem), sentences: text.sentences, language: text.language || language }
  await inTransaction(sql, async (tx) => {
    await lockTexts(tx, `file ${waiting.name}`)
    await dropText(tx, waiting, clock.now())
    // A recording that came in another way has the fields that its name would have.
    const parsed = parseFilename(`${stem}.mp3`, churchDate(clock.now()))
    const alike = parsed.isValid ? await findDuplicate(tx, parsed) : undefined
    await pair(context, tx, waiting.name, alike?.teaching.uid)
  })
}

/** Notes which teaching a recording of this name became, and gives it the text that waits under this name. */
export async function noteRecording(context: Parts, filename: string, teaching: string): Promise<void> {
  const name = namedAlike(filename.replace(/\.[^.]*$/, ''))
  await inTransaction(context.sql, async (tx) => {
    await lockTexts(tx, `file ${name}`)
    await noteRecordingName(tx, { name, teaching }, context.clock.now())
    await pair(context, tx, name)
  })
}

/** Forgets names after 30 days, and the texts that waited for a recording in vain. */
export const forgetDropped = ({ sql }: Pick<Context, 'sql'>): Promise<number> =>
  purgeDropped(sql, transcriptBinDays)

async function pair(context: Parts, tx: Transaction, name: string, alike?: string): Promise<void> {
  const { teaching, sentences, language } = (await droppedName(tx, name))!
  const uid = teaching ?? alike
  const found = uid === undefined ? undefined : await findTeachingByUid(tx, uid)
  if (!found || !sentences) return
  await lockTexts(tx, found.uid)
  const draft = { sentences, language, source: 'sftp' } as const
  await putDraft(context, tx, { teaching: found.uid, title: found.title }, draft, soundDesk)
  await forgetText(tx, name)
}
