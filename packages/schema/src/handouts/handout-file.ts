import { handoutLimits as limits, type HandoutType } from './handouts.limits.ts'

/** A file of a teaching as its row has it. */
export interface Handout {
  /** SHA-256 of its bytes, lower-case hex. */
  readonly hash: string
  /** With the extension of its type. */
  readonly name: string
  readonly type: HandoutType
  readonly bytes: number
}

/** The cache of a device that has the handouts of saved recordings. */
export const handoutCache = 'handouts'

const folder = '/handouts/'

/** The name of its stored file. */
export const handoutFile = ({ hash, type }: Pick<Handout, 'hash' | 'type'>): string => `${hash}.${type}`

export const handoutAddress = (handout: Pick<Handout, 'hash' | 'type'>): string =>
  folder + handoutFile(handout)

/** The handout of a pathname; undefined for any other one. */
export const handoutAt = (pathname: string): Pick<Handout, 'hash' | 'type'> | undefined =>
  pathname.startsWith(folder) ? handoutOfFile(pathname.slice(folder.length)) : undefined

/** The handout of a stored file; undefined for any other name. */
export function handoutOfFile(name: string): Pick<Handout, 'hash' | 'type'> | undefined {
  const [, hash, type] = /^([0-9a-f]{64})\.(pdf|jpg|png|webp)$/.exec(name) ?? []
  return hash === undefined ? undefined : { hash, type: type as HandoutType }
}

/** The name without its extension, for lists that show the type beside it. */
export const shownHandout = ({ name }: Pick<Handout, 'name'>): string => name.replace(extension, '')

const extension = /\.(?:pdf|jpe?g|png|webp)$/i

/** A file's name as it is stored: on any system one name without a path, with the extension of its content. */
export function handoutName(given: string, type: HandoutType): string {
  const plain = given
    .normalize('NFC')
    .replaceAll(/[\p{Cc}\p{Cs}\u202A-\u202E\u2066-\u2069\s/\\:*?"<>|]+/gu, ' ')
    .trim()
    .replace(extension, '')
    .replace(/^[.\s]+/, '')
  const cut = Array.from(plain).slice(0, limits.name - type.length - 1)
  while (cut.join('').length > limits.name - type.length - 1) cut.pop()
  return `${cut.join('').trim() || 'Handout'}.${type}`
}
