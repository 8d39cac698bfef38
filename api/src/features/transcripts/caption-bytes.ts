import { readCaptions } from '@fellowship/schema/transcripts/caption-file'
import { textOfCaption } from '@fellowship/schema/transcripts/text-of-caption'
import { sentences as rule, type Sentence } from '@fellowship/schema/transcripts/transcripts.schema'
import { transcriptLimits } from '@fellowship/schema/transcripts/transcripts.limits'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { Problem } from '@fellowship/schema/problem'
import { parseInput } from '../../http/input.ts'

/** The sentences of a file of captions, and its language if it names one. */
export interface ReadText {
  sentences: Sentence[]
  language: string
}

/**
 * Reads a file of captions or plain text by its content. It takes a second at most, for the largest and worst of files, so
 * that no worker is needed.
 *
 * @throws Problem `too_large`, `unsupported_media`, or `invalid_input` with the line
 */
export function readCaptionBytes(bytes: Buffer): ReadText {
  if (bytes.length > transcriptLimits.fileBytes) throw new Problem('too_large', texts.tooLarge)
  const text = textOfCaption(bytes)
  if (text === undefined) throw new Problem('unsupported_media', texts.notText)
  // Our own form keeps sentences without times; the editor sends it.
  if (/^\s*\{\s*"sentences"/.test(text)) return { sentences: ownSentences(text), language: '' }
  const file = readCaptions(text)
  if ('fault' in file) throw new Problem('invalid_input', file.fault)
  return { ...file, sentences: parseInput(rule, file.sentences) }
}

function ownSentences(text: string): Sentence[] {
  let parsed: { sentences?: unknown }
  try {
    parsed = JSON.parse(text) as { sentences?: unknown }
  } catch {
    throw new Problem('malformed_json')
  }
  return parseInput(rule, parsed.sentences)
}
