import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { CircleCheck } from 'lucide-react'
import { useEffect } from 'react'
import { Banner } from '../../ui/banner.tsx'
import { uploadTimings } from '../../ui/timings.ts'

/** The last uploaded teaching, shown for 60 seconds. */
export function UploadedBanner({ teaching, onGone }: { teaching: Teaching; onGone: () => void }) {
  useEffect(() => {
    const end = setTimeout(onGone, uploadTimings.bannerMs)
    return () => clearTimeout(end)
  }, [teaching, onGone])
  return (
    <Banner tone="leaf" title={uploadTexts.uploaded} icon={CircleCheck}>
      {shownTitle(teaching)}, {teaching.speaker}
    </Banner>
  )
}
