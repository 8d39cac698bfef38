import { elderPhoto } from './elders.limits.ts'

const coverPattern = /^\/images\/([0-9a-f]{64})-cover\.jpg$/
const sharePattern = /^\/images\/([0-9a-f]{64})-share\.jpg$/
const logoPattern = /^\/images\/([0-9a-f]{64})-logo\.png$/
const pattern = /^\/images\/([0-9a-f]{64})-(\d+)\.webp$/

/** Whether this is the URL of a stored photo. */
export const isElderPhoto = (imageUrl: string): boolean => photoHash(imageUrl) !== undefined

/** The hash in the names of all sizes of a photo; undefined for any other URL. */
export function photoHash(imageUrl: string): string | undefined {
  const [, hash, width] = pattern.exec(imageUrl) ?? []
  return wideWidths.some((known) => String(known) === width) ? hash : undefined
}

/** Of a picture that spans a page. */
export const wideWidths: readonly number[] = [...elderPhoto.widths, elderPhoto.wideWidth]

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

/** The file of a picture of shared links, as wide as they show it. */
export const shareName = (hash: string): string => `${hash}-share.jpg`

/** The hash in the URL of a picture of shared links; undefined for any other URL. */
export const shareHash = (url: string): string | undefined => sharePattern.exec(url)?.[1]

/** The URL of the picture of shared links that was made of the picture at this URL. */
export function shareAddress(imageUrl: string): string | undefined {
  const hash = photoHash(imageUrl)
  return hash && `/images/${shareName(hash)}`
}

/** The file of a church's logo. */
export const logoName = (hash: string): string => `${hash}-logo.png`

/** The hash in the URL of a logo; undefined for any other URL. */
export const logoHash = (url: string): string | undefined => logoPattern.exec(url)?.[1]

/**
 * All sizes of a photo for `<img srcset>`; undefined for a picture that has one size only.
 *
 * @param widths those that it was stored in
 */
export function photoSrcSet(
  imageUrl: string,
  widths: readonly number[] = elderPhoto.widths,
): string | undefined {
  const hash = photoHash(imageUrl)
  if (!hash) return undefined
  return widths.map((width) => `/images/${photoName(hash, width)} ${width}w`).join(', ')
}
