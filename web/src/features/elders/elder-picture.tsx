import { photoSrcSet } from '@fellowship/schema/elders/elder-photo'
import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { useEffect, useRef, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'

interface ElderPictureProps {
  elder: Pick<Elder, 'imageUrl'>
  sizes: string
  className?: string
}

/** The photo of an elder; a drawn figure if there is none or if it fails to load. The name beside it is its label. */
export function ElderPicture({ elder: { imageUrl }, sizes, className }: ElderPictureProps) {
  const [missing, setMissing] = useState<string | null>(null)
  const image = useRef<HTMLImageElement>(null)
  useEffect(() => {
    // If a prerendered image failed before hydration, there is no error event.
    if (imageUrl && image.current?.complete && image.current.naturalWidth === 0) setMissing(imageUrl)
  }, [imageUrl])
  const frame = classNames('block aspect-4/5 w-full overflow-hidden rounded-card bg-sunk', className)
  if (!imageUrl || missing === imageUrl) return <Figure className={frame} />
  return (
    <img
      ref={image}
      src={imageUrl}
      srcSet={photoSrcSet(imageUrl)}
      sizes={sizes}
      alt=""
      width={640}
      height={800}
      loading="lazy"
      decoding="async"
      className={classNames(frame, 'object-cover object-[50%_25%]')}
      onError={() => setMissing(imageUrl)}
    />
  )
}

/** A silhouette in front of hills. Decorative, as the name stands beside it. */
function Figure({ className }: { className: string }) {
  return (
    <svg viewBox="0 0 320 400" preserveAspectRatio="xMidYMid slice" aria-hidden="true" className={className}>
      <rect width="320" height="400" className="fill-sky-low" />
      <circle cx="236" cy="96" r="30" className="fill-sun" opacity=".7" />
      <path
        d="M0 236c46-34 86-36 134-14 44 20 70-8 112-20 30-8 54 0 74 12v186H0Z"
        className="fill-range-near"
      />
      <path d="M0 292c70-40 134-38 196-14 48 18 86 14 124-2v124H0Z" className="fill-hill-mid" />
      <g className="fill-meadow">
        <path d="M44 400c6-84 50-124 116-124s110 40 116 124Z" />
        <path d="M134 236h52v60c-16 12-36 12-52 0Z" />
        <ellipse cx="160" cy="198" rx="52" ry="62" />
      </g>
    </svg>
  )
}
