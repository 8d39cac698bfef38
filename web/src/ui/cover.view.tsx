import { type CoverKind, coverPath } from '@fellowship/schema/covers/cover-path'
import { photoSrcSet } from '@fellowship/schema/elders/elder-photo'
import { useEffect, useRef, useState } from 'react'
import { classNames } from '../lib/class-names.ts'

interface CoverProps {
  kind: CoverKind
  title: string
  /** The church's own picture, which is shown instead of a drawing. */
  imageUrl?: string | null | undefined
  /** The width on the page, for the choice among the sizes of a picture. */
  sizes: string
  /** Sets the width or the height; the other one follows. */
  className: string
}

/** The square cover of a series, a book, a speaker or a teaching. The title beside it is its label. */
export function Cover({ kind, title, imageUrl, sizes, className }: CoverProps) {
  /** Each address that failed: one alone would let the picture and the drawing take turns without end. */
  const [failed, setFailed] = useState<readonly string[]>([])
  const image = useRef<HTMLImageElement>(null)
  const drawn = coverPath({ kind, title }, 'svg')
  const own = imageUrl && !failed.includes(imageUrl) ? imageUrl : undefined
  const src = own ?? drawn
  const fail = (address: string) => setFailed((before) => [...before, address])
  useEffect(() => {
    // If a prerendered image failed before hydration, there is no error event.
    if (image.current?.complete && image.current.naturalWidth === 0) fail(src)
  }, [src])
  const square = classNames('aspect-square shrink-0 rounded-card bg-sunk', className)
  // A drawing that is not on the device: its place stays, so that nothing moves.
  if (failed.includes(src)) return <span className={classNames('block', square)} />
  return (
    <img
      ref={image}
      src={src}
      {...(own && { srcSet: photoSrcSet(own), sizes })}
      alt=""
      loading="lazy"
      decoding="async"
      className={classNames('object-cover', square)}
      onError={() => fail(src)}
    />
  )
}
