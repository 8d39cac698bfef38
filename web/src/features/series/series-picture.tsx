import { photoSrcSet } from '@fellowship/schema/elders/elder-photo'
import { useEffect, useRef, useState } from 'react'

/** The picture of a series, cropped to a square; nothing if it fails to load. The title beside it is its label. */
export function SeriesPicture({ imageUrl }: { imageUrl: string }) {
  const [missing, setMissing] = useState<string>()
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    // If a prerendered image failed before hydration, there is no error event.
    if (image.current?.complete && image.current.naturalWidth === 0) setMissing(imageUrl)
  }, [imageUrl])
  if (missing === imageUrl) return null
  return (
    <img
      ref={image}
      src={imageUrl}
      srcSet={photoSrcSet(imageUrl)}
      sizes="16rem"
      alt=""
      width={640}
      height={640}
      decoding="async"
      className="mt-5 aspect-square w-full max-w-64 rounded-card bg-sunk object-cover"
      onError={() => setMissing(imageUrl)}
    />
  )
}
