import { useMemo } from 'react'
import { encode } from 'uqr'

interface ShareCodeProps {
  /** The text that the code encodes. */
  text: string
  className?: string
}

/** A QR code, black on white also in dark mode, as scanners need; error correction level M, with a quiet zone. */
export function ShareCode({ text, className }: ShareCodeProps) {
  const { size, path } = useMemo(() => {
    const { size, data } = encode(text, { ecc: 'M', border: 4 })
    const dark = data.flatMap((row, y) => row.flatMap((on, x) => (on ? [`M${x} ${y}h1v1h-1z`] : [])))
    return { size, path: dark.join('') }
  }, [text])
  return (
    <svg
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label="QR code of the link"
      shapeRendering="crispEdges"
      className={className}
    >
      <rect width={size} height={size} fill="#ffffff" />
      <path d={path} fill="#000000" />
    </svg>
  )
}
