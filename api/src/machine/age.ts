import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hkdfSync,
  randomBytes,
  scrypt,
  timingSafeEqual,
} from 'node:crypto'

/**
 * The file format of age (age-encryption.org/v1) with a passphrase: a header that wraps a key, then pieces of 64 KiB that
 * are encrypted and authenticated one by one. So any range of the file can be written or read on its own, in constant
 * memory, and the program `age` opens it as well.
 */
export interface AgeFile {
  /** The header and the nonce, before the first piece. */
  readonly head: Buffer
  readonly key: Buffer
}

/** Bytes of a piece in the clear, and of its authentication tag. */
export const pieceBytes = 64 * 1024
const tagBytes = 16
const sealedPieceBytes = pieceBytes + tagBytes

/** Begins a file with a key of its own. */
export async function newAgeFile(passphrase: string): Promise<AgeFile> {
  const fileKey = randomBytes(16)
  const salt = randomBytes(16)
  const wrapped = seal(await wrappingKey(passphrase, salt, workFactor), zeroNonce, fileKey)
  const intro = `${version}\n-> scrypt ${base64(salt)} ${workFactor}\n${base64(wrapped)}\n---`
  const head = Buffer.from(`${intro} ${base64(macOf(fileKey, intro))}\n`)
  const nonce = randomBytes(nonceBytes)
  return { head: Buffer.concat([head, nonce]), key: payloadKey(fileKey, nonce) }
}

/** Whether a file begins like one of age. */
export const isAgeFile = (start: Buffer): boolean =>
  start.subarray(0, version.length).toString('latin1') === version

/**
 * Opens the head of a file.
 *
 * @param start at least its first `longestHead` bytes, or all of it
 * @returns undefined for a wrong passphrase, or a head that is damaged or made for keys
 */
export async function openAgeFile(passphrase: string, start: Buffer): Promise<AgeFile | undefined> {
  const text = start.subarray(0, longestHead).toString('latin1')
  const [whole, intro, salt, factor, body, mac] = header.exec(text) ?? []
  if (whole === undefined || Number(factor) > mostWork) return undefined
  const key = await wrappingKey(passphrase, Buffer.from(salt!, 'base64'), Number(factor))
  const fileKey = open(key, zeroNonce, Buffer.from(body!, 'base64'))
  const found = Buffer.from(mac!, 'base64')
  if (fileKey?.length !== 16 || found.length !== 32 || !timingSafeEqual(found, macOf(fileKey, intro!)))
    return undefined
  const headBytes = whole.length + nonceBytes
  if (start.length < headBytes) return undefined
  const head = start.subarray(0, headBytes)
  return { head, key: payloadKey(fileKey, head.subarray(whole.length)) }
}

/** More than any head with a passphrase has. */
export const longestHead = 512

/** The length of the whole file around so many bytes. */
export const ageFileBytes = ({ head }: AgeFile, clearBytes: number): number =>
  head.length + clearBytes + piecesOf(clearBytes) * tagBytes

/** The bytes in the clear of a file of this length; negative if it is shorter than its head. */
export function clearBytesOf({ head }: AgeFile, fileBytes: number): number {
  const payload = fileBytes - head.length
  return payload - Math.ceil(payload / sealedPieceBytes) * tagBytes
}

/** The position of a sealed piece in the file, and its length, of a file with so many bytes in the clear. */
export function placeOfPiece(
  { head }: AgeFile,
  index: number,
  clearBytes: number,
): { at: number; bytes: number } {
  const clear = Math.min(pieceBytes, clearBytes - index * pieceBytes)
  return { at: head.length + index * sealedPieceBytes, bytes: clear + tagBytes }
}

/** Encrypts a piece: all but the last of a file have `pieceBytes`. */
export const sealPiece = ({ key }: AgeFile, index: number, isLast: boolean, clear: Buffer): Buffer =>
  seal(key, pieceNonce(index, isLast), clear)

/** Undefined if it is not the piece that was sealed at this place. */
export const openPiece = (
  { key }: AgeFile,
  index: number,
  isLast: boolean,
  sealed: Buffer,
): Buffer | undefined => open(key, pieceNonce(index, isLast), sealed)

export const piecesOf = (clearBytes: number): number => Math.max(1, Math.ceil(clearBytes / pieceBytes))

const version = 'age-encryption.org/v1'
const nonceBytes = 16
const header =
  /^(age-encryption\.org\/v1\n-> scrypt ([A-Za-z0-9+/]{22}) ([1-9]\d?)\n([A-Za-z0-9+/]{43})\n---) ([A-Za-z0-9+/]{43})\n/
/** Of scrypt, as a power of two: 64 MB for a moment. A file of another origin may ask for more, within reason. */
const workFactor = 16
const mostWork = 20
const zeroNonce = Buffer.alloc(12)

const base64 = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '')

function wrappingKey(passphrase: string, salt: Buffer, factor: number): Promise<Buffer> {
  const salted = Buffer.concat([Buffer.from(`${version}/scrypt`), salt])
  const cost = { N: 2 ** factor, r: 8, p: 1, maxmem: 2 ** factor * 8 * 128 * 2 }
  return new Promise((resolve, reject) => {
    // Another machine may type the same letters as different code points.
    scrypt(passphrase.normalize('NFC'), salted, 32, cost, (error, key) =>
      error ? reject(error) : resolve(key),
    )
  })
}

const derived = (fileKey: Buffer, salt: Buffer, info: string) =>
  Buffer.from(hkdfSync('sha256', fileKey, salt, info, 32))
const payloadKey = (fileKey: Buffer, nonce: Buffer) => derived(fileKey, nonce, 'payload')
const macOf = (fileKey: Buffer, intro: string) =>
  createHmac('sha256', derived(fileKey, Buffer.alloc(0), 'header'))
    .update(intro)
    .digest()

/** The piece's number in eleven bytes, then 1 for the last one: pieces cannot be reordered, left out or cut off. */
function pieceNonce(index: number, isLast: boolean): Buffer {
  const nonce = Buffer.alloc(12)
  nonce.writeUIntBE(index, 5, 6)
  nonce[11] = isLast ? 1 : 0
  return nonce
}

const algorithm = 'chacha20-poly1305'

function seal(key: Buffer, nonce: Buffer, clear: Buffer): Buffer {
  const cipher = createCipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  return Buffer.concat([cipher.update(clear), cipher.final(), cipher.getAuthTag()])
}

function open(key: Buffer, nonce: Buffer, sealed: Buffer): Buffer | undefined {
  if (sealed.length < tagBytes) return undefined
  const decipher = createDecipheriv(algorithm, key, nonce, { authTagLength: tagBytes })
  decipher.setAuthTag(sealed.subarray(sealed.length - tagBytes))
  try {
    const clear = decipher.update(sealed.subarray(0, sealed.length - tagBytes))
    return Buffer.concat([clear, decipher.final()])
  } catch {
    return undefined
  }
}
