import { Problem } from '@fellowship/schema/problem'
import { transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import { type Guest, GuestRefused } from '../../machine/guest-fetch.ts'
import { readCaptionBytes, type ReadText } from '../transcripts/transcripts.ts'
import { SourceRefused } from './incoming.ts'
import { openFileIn } from './source-folder.ts'

const textMs = 60_000

/** The text of an incoming teaching, or why there is none: without it the teaching moves in all the same. */
export type TextOfItem = ReadText | { fault: string } | undefined

/** @param folder the folder or archive of the source, if it is one */
export async function textOfItem(
  transcript: string,
  { folder, guest }: { folder: string | undefined; guest: Guest },
): Promise<TextOfItem> {
  if (transcript === '') return undefined
  const maxBytes = transcriptLimits.fileBytes
  try {
    if (folder === undefined || /^https?:/.test(transcript))
      return readCaptionBytes((await guest.read(transcript, { maxBytes, totalMs: textMs })).bytes)
    const parts: Buffer[] = []
    let length = 0
    for await (const part of await openFileIn(folder, transcript)) {
      parts.push(part as Buffer)
      length += (part as Buffer).length
      if (length > maxBytes) break
    }
    return readCaptionBytes(Buffer.concat(parts))
  } catch (error) {
    const isRefusal =
      error instanceof Problem || error instanceof GuestRefused || error instanceof SourceRefused
    if (!isRefusal) throw error
    return { fault: error.message }
  }
}
