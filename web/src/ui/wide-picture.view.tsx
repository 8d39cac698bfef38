import { photoSrcSet, wideWidths } from '@fellowship/schema/elders/elder-photo'

interface WidePictureProps {
  imageUrl: string
  /** Empty for a decoration. */
  alt: string
  sizes: string
  className: string
}

/** One of the church's own pictures, in the size that the screen needs. */
export function WidePicture({ imageUrl, alt, sizes, className }: WidePictureProps) {
  return (
    <img
      src={imageUrl}
      srcSet={photoSrcSet(imageUrl, wideWidths)}
      sizes={sizes}
      alt={alt}
      decoding="async"
      className={`${className} object-cover`}
    />
  )
}
