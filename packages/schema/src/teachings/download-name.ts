import { foldAccents } from '../text-folding.ts'
import type { AudioExtension } from '../uploads/uploads.limits.ts'

interface Named {
  readonly title: string
  readonly speaker: string
  /** YYYY-MM-DD */
  readonly date: string
  readonly scriptureReference?: string | null
}

/** Characters of the title and of the speaker in the name of a download. */
const downloadNamePart = 50

/**
 * File name of a download: 'Hope_in_Christ_John_Smith_20261122.mp3', with letters and digits of any script and the
 * extension of the recording. A teaching without a title is named by its scripture reference.
 */
export function downloadName(teaching: Named, extension: AudioExtension): string {
  const title = namePart(teaching.title) || namePart((teaching.scriptureReference ?? '').replaceAll(':', '.'))
  const date = namePart(teaching.date).replaceAll('-', '')
  const parts = [title, namePart(teaching.speaker), date].filter((part) => part !== '')
  return `${parts.join('_') || 'teaching'}.${extension}`
}

/**
 * A Content-Disposition with the name twice, as RFC 6266 (4.3) recommends: ASCII for old clients, percent-
 * encoded UTF-8 (RFC 8187) for the others. Every string gives a value that `Headers` accepts.
 */
export function contentDisposition(name: string, how: 'attachment' | 'inline' = 'attachment'): string {
  const visible = name.replace(/\p{Cc}/gu, '').replace(/\p{Cs}/gu, '\ufffd')
  return `${how}; filename="${asciiName(visible)}"; filename*=UTF-8''${extendedValue(visible)}`
}

function namePart(text: string): string {
  const cleaned = text
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}\s\-_.]/gu, '')
    // A leading dot would hide the file.
    .replace(/^[\s.]+|\s+$/g, '')
    .replace(/\s+/g, '_')
  return Array.from(cleaned).slice(0, downloadNamePart).join('')
}

/** Without accents, other scripts as underscores; without quotes and percent signs, which clients parse differently. */
function asciiName(name: string): string {
  const plain = Array.from(name.normalize('NFC'), (letter) => {
    const folded = foldAccents(letter)
    return letter === letter.toLowerCase() ? folded : folded.charAt(0).toUpperCase() + folded.slice(1)
  }).join('')
  return plain.replace(/[^\u0020-\u007e]/g, '_').replace(/["\\%]/g, '_')
}

/** RFC 8187 attr-char is stricter than encodeURIComponent about ' ( ) and *. */
const extendedValue = (name: string) =>
  encodeURIComponent(name).replace(/['()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`)
