import { useEffect, useState } from 'react'
import { runWhenLoaded } from '../../../lib/run-when-loaded.ts'
import type { Picture } from './position-slider.tsx'

/** Reads and draws the sound of a recording; undefined if it was not measured, or is not on this device offline. */
export function usePicture(url: string | undefined): Picture | undefined {
  const [read, setRead] = useState<{ url: string; picture: Picture }>()
  // If it cannot be read, the slider has no picture.
  useEffect(
    () =>
      runWhenLoaded(async () => {
        if (!url) return undefined
        const { readPicture } = await import('./waveform.tsx')
        const picture = await readPicture(url)
        return picture && (() => setRead({ url, picture }))
      }),
    [url],
  )
  return read && read.url === url ? read.picture : undefined
}
