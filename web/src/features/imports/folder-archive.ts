import { importLimits } from '@fellowship/schema/imports/imports.limits'
import { importTexts } from '@fellowship/schema/imports/imports.texts'
import { recordingEndings } from '@fellowship/schema/uploads/uploads.limits'

const taken = new Set<string>([...recordingEndings, 'csv', 'jpg', 'jpeg', 'png', 'webp', 'vtt', 'srt'])

/**
 * The recordings, tables and pictures of a chosen folder as a ZIP archive without compression. The archive refers to the files
 * on disk: the browser reads them as it sends them.
 *
 * @throws Error with a sentence if there are none, or too many for one archive
 */
export async function archiveOf(files: readonly File[]): Promise<File> {
  const wanted = files.filter(({ name }) => {
    const ending = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
    return !name.startsWith('.') && taken.has(ending)
  })
  if (!wanted.some(({ name }) => !/\.(?:jpe?g|png|webp|vtt|srt)$/i.test(name)))
    throw new Error(importTexts.emptyFolder)
  const bytes = wanted.reduce((sum, { size }) => sum + size, 0)
  if (bytes > importLimits.archiveBytes || wanted.length > mostEntries)
    throw new Error(importTexts.archiveTooLarge)
  const [folder = ''] = (wanted[0]!.webkitRelativePath || 'folder').split('/', 1)
  const parts: BlobPart[] = []
  const directory: Uint8Array<ArrayBuffer>[] = []
  let at = 0
  for (const file of wanted) {
    // Without the folder itself: the folder of a recording is its series.
    const name = new TextEncoder().encode(file.webkitRelativePath.split('/').slice(1).join('/') || file.name)
    const crc = await crc32Of(file)
    const local = header(localSignature, { name, crc, bytes: file.size })
    parts.push(local, file)
    directory.push(header(centralSignature, { name, crc, bytes: file.size, at }))
    at += local.length + file.size
  }
  const directoryBytes = directory.reduce((sum, { length }) => sum + length, 0)
  return new File([...parts, ...directory, ending(wanted.length, directoryBytes, at)], `${folder}.zip`)
}

/** Without ZIP64 an archive has fewer than 65,535 entries and 4 GiB. */
const mostEntries = 60_000
const localSignature = 0x04034b50
const centralSignature = 0x02014b50

interface Entry {
  readonly name: Uint8Array
  readonly crc: number
  readonly bytes: number
  /** Where its local header begins, for the directory. */
  readonly at?: number
}

/** A stored entry with a UTF-8 name, dated 1 January 1980. */
function header(signature: number, { name, crc, bytes, at }: Entry): Uint8Array<ArrayBuffer> {
  const isCentral = at !== undefined
  const made = new Uint8Array((isCentral ? 46 : 30) + name.length)
  const view = new DataView(made.buffer)
  view.setUint32(0, signature, true)
  // The directory has the version of its maker in front.
  const shared = isCentral ? 6 : 4
  if (isCentral) view.setUint16(4, 20, true)
  view.setUint16(shared, 20, true)
  view.setUint16(shared + 2, 0x0800, true)
  view.setUint16(shared + 8, 0x0021, true)
  view.setUint32(shared + 10, crc, true)
  view.setUint32(shared + 14, bytes, true)
  view.setUint32(shared + 18, bytes, true)
  view.setUint16(shared + 22, name.length, true)
  if (isCentral) view.setUint32(42, at, true)
  made.set(name, isCentral ? 46 : 30)
  return made
}

function ending(entries: number, directoryBytes: number, at: number): Uint8Array<ArrayBuffer> {
  const made = new Uint8Array(22)
  const view = new DataView(made.buffer)
  view.setUint32(0, 0x06054b50, true)
  view.setUint16(8, entries, true)
  view.setUint16(10, entries, true)
  view.setUint32(12, directoryBytes, true)
  view.setUint32(16, at, true)
  return made
}

async function crc32Of(file: File): Promise<number> {
  let crc = 0xffffffff
  const reader = file.stream().getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read())
    for (const byte of next.value) crc = remainders[(crc ^ byte) & 255]! ^ (crc >>> 8)
  return (crc ^ 0xffffffff) >>> 0
}

const remainders = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit += 1) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc
})
