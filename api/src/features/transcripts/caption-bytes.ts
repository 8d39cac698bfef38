import { readCaptions } from '@fellowship/schema/transcripts/caption-file'
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
  const text = decoded(bytes)
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

/** The text in UTF-8, UTF-16 or Windows-1252, which Latin-1 is a part of. */
function decoded(bytes: Buffer): string {
  for (const encoding of [wideEncoding(bytes) ?? 'utf-8', 'windows-1252']) {
    const text = decodedAs(encoding, bytes)
    if (text === undefined) continue
    // oxlint-disable-next-line no-control-regex
    if (/[\x00-\x08\x0E-\x1A]/.test(text)) break
    return text
  }
  throw new Problem('unsupported_media', texts.notText)
}

function decodedAs(encoding: string, bytes: Buffer): string | undefined {
  try {
    return new TextDecoder(encoding, { fatal: true }).decode(bytes)
  } catch {
    return undefined
  }
}

/** UTF-16, by its mark or, without one, by its zero bytes: of English text every second byte is zero. */
function wideEncoding(bytes: Buffer): 'utf-16le' | 'utf-16be' | undefined {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le'
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be'
  const head = bytes.subarray(0, 512)
  const zeros = [0, 0]
  head.forEach((byte, at) => {
    if (byte === 0) zeros[at % 2]! += 1
  })
  const many = head.length / 4
  if (zeros[1]! > many && zeros[0]! < many / 4) return 'utf-16le'
  if (zeros[0]! > many && zeros[1]! < many / 4) return 'utf-16be'
  return undefined
}
