import { readCaptions } from '@fellowship/schema/transcripts/caption-file'
import { textOfCaption } from '@fellowship/schema/transcripts/text-of-caption'
import { transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import type { Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'

/** A readable file of captions. */
export interface CaptionBytes {
  bytes: ArrayBuffer
  sentences: Sentence[]
  language: string
}

/** Reads a file of captions as the server does. @throws an error with a sentence for people, which names the line */
export async function readCaptionFile(file: File): Promise<CaptionBytes> {
  if (file.size > transcriptLimits.fileBytes) throw new Error(texts.tooLarge)
  const bytes = await file.arrayBuffer()
  const text = textOfCaption(new Uint8Array(bytes))
  if (text === undefined) throw new Error(texts.notText)
  const read = readCaptions(text)
  if ('fault' in read) throw new Error(read.fault)
  return { bytes, ...read }
}
