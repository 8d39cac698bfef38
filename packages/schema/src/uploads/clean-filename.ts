import { type AudioExtension, audioExtensions } from './uploads.limits.ts'

/**
 * A received file name without additions of clients: path, percent-encoded quotes, invisible characters, '(1)' and 'Copy' of
 * a second download. `extension` is undefined when it is not accepted.
 */
export function cleanFileName(name: string): {
  stem: string
  extension: AudioExtension | undefined
  hadHiddenCharacters: boolean
} {
  const decoded = decodePercent(name)
  const { stem, extension } = splitExtension(withoutPath(withoutHiddenCharacters(decoded)).trim())
  return { stem: withoutCopyMark(stem), extension, hadHiddenCharacters: dangerous.test(decoded) }
}

/** Text in NFC without invisible characters and direction marks. */
export function withoutHiddenCharacters(text: string): string {
  return text
    .replace(everyInvisible, '')
    .replace(everyDangerous, '')
    .replace(loneSurrogates, '\ufffd')
    .normalize('NFC')
}

/** Zero-width space, word joiner, BOM, soft hyphen and direction marks: often pasted unnoticed, and harmless. */
const everyInvisible = /[\u200b\u2060\ufeff\u00ad\u200e\u200f\u061c]/g
/** Control characters, and overrides that display a name in another order ('gpm.exe' as 'exe.mpg'). */
// oxlint-disable-next-line no-control-regex -- it removes control characters
const dangerous = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]/
const everyDangerous = new RegExp(dangerous, 'g')
const loneSurrogates = /\p{Cs}/gu

/** Browsers write a quote in a multipart file name as %22 (WHATWG HTML, multipart/form-data encoding), and WinSCP on disk. */
function decodePercent(name: string): string {
  if (!/%(?:22|20|E2%80%9[CD])/i.test(name)) return name
  return name.replace(/(?:%[0-9a-f]{2})+/gi, (escaped) => {
    try {
      return decodeURIComponent(escaped)
    } catch {
      return escaped
    }
  })
}

const withoutPath = (name: string) => name.slice(Math.max(name.lastIndexOf('/'), name.lastIndexOf('\\')) + 1)

/** Accepts 'name.mp3.mp3' too, as systems that hide extensions produce it; of 'name.mp3.exe' the last one counts. */
function splitExtension(name: string): { stem: string; extension: AudioExtension | undefined } {
  const last = takeEnding(name)
  let stem = last.stem
  for (let inner = takeEnding(stem); inner.known; inner = takeEnding(stem)) stem = inner.stem
  return { stem, extension: last.known }
}

function takeEnding(name: string): { stem: string; known?: AudioExtension | undefined } {
  const [, before, written = ''] = /^(.*)\.([^.]*)$/s.exec(name) ?? []
  if (before === undefined) return { stem: name }
  const ending = written.trim().toLowerCase()
  const known = audioExtensions.find((extension) => extension === ending)
  // '.exe' is an extension, the end of '8.28' is not.
  const isExtension = known !== undefined || ending === '' || /^[a-z][a-z0-9]{0,8}$/.test(ending)
  return { stem: isExtension ? before.trim() : name, known }
}

const withoutCopyMark = (stem: string) => stem.replace(/(?: ?\(\d{1,3}\)| - Copy)+$/i, '').trim()
