import { elderPhoto } from './elders.limits.ts'

const coverPattern = /^\/images\/([0-9a-f]{64})-cover\.jpg$/
const pattern = /^\/images\/([0-9a-f]{64})-(\d+)\.webp$/

/** Whether this is the URL of a stored photo. */
export const isElderPhoto = (imageUrl: string): boolean => photoHash(imageUrl) !== undefined

/** The hash in the names of all sizes of a photo; undefined for any other URL. */
export function photoHash(imageUrl: string): string | undefined {
  const [, hash, width] = pattern.exec(imageUrl) ?? []
  return elderPhoto.widths.some((known) => String(known) === width) ? hash : undefined
}

/** The file of one size of a photo. */
export const photoName = (hash: string, width: number): string => `${hash}-${width}.webp`

/** The URL in an elder's `imageUrl`: the middle size of the photo. */
export const photoAddress = (hash: string): string => `/images/${photoName(hash, elderPhoto.shownWidth)}`

/** The file of the square picture that podcast directories take. */
export const coverName = (hash: string): string => `${hash}-cover.jpg`

/** The hash in the URL of a cover; undefined for any other URL. */
export const coverHash = (url: string): string | undefined => coverPattern.exec(url)?.[1]

/** The URL of the cover of a picture at this URL; undefined for a picture that has one size only. */
export function coverAddress(imageUrl: string): string | undefined {
  const hash = photoHash(imageUrl)
  return hash && `/images/${coverName(hash)}`
}

/** All sizes of a photo for `<img srcset>`; undefined for a picture that has one size only. */
export function photoSrcSet(imageUrl: string): string | undefined {
  const hash = photoHash(imageUrl)
  if (!hash) return undefined
  return elderPhoto.widths.map((width) => `/images/${photoName(hash, width)} ${width}w`).join(', ')
}
