import { elderPhoto } from './elders.limits.ts'

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

/** All sizes of a photo for `<img srcset>`; undefined for a picture that has one size only. */
export function photoSrcSet(imageUrl: string): string | undefined {
  const hash = photoHash(imageUrl)
  if (!hash) return undefined
  return elderPhoto.widths.map((width) => `/images/${photoName(hash, width)} ${width}w`).join(', ')
}
