import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { IconButton } from '../../ui/icon-button.tsx'
import { asDialog, lazyPart } from '../../ui/lazy-part.tsx'

const ShareDialog = lazyPart(() => import('./share-dialog.tsx'), 'ShareDialog', asDialog)

interface ShareButtonProps {
  teaching: ListedTeaching
  /** The listening position in seconds; 0 if not started. */
  momentOf: (teaching: ListedTeaching) => number
}

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
      {moment !== null && <ShareDialog teaching={teaching} moment={moment} onClose={() => setMoment(null)} />}
    </>
  )
}

const icon = <Share2 className="size-5" />
