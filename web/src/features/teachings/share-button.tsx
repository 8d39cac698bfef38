import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Share2 } from 'lucide-react'
import { lazy, useState } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { LazyPart } from '../../ui/lazy-part.tsx'

const ShareDialog = lazy(() => import('./share-dialog.tsx').then((m) => ({ default: m.ShareDialog })))

interface ShareButtonProps {
  teaching: Teaching
  /** The listening position in seconds; 0 if not started. */
  momentOf: (teaching: Teaching) => number
}

/** Opens the share dialog. */
export function ShareButton({ teaching, momentOf }: ShareButtonProps) {
  const [moment, setMoment] = useState<number | null>(null)
  return (
    <>
      <IconButton
        label={`Share ${shownTitle(teaching)}`}
        aria-haspopup="dialog"
        onClick={() => setMoment(momentOf(teaching))}
      >
        {icon}
      </IconButton>
      {moment !== null && (
        <LazyPart onFailed={() => setMoment(null)}>
          <ShareDialog teaching={teaching} moment={moment} onClose={() => setMoment(null)} />
        </LazyPart>
      )}
    </>
  )
}

const icon = <Share2 aria-hidden="true" className="size-5" />
