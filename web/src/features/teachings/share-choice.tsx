import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { Choice } from '../../ui/choice.tsx'
import { ShareDialog } from './share-dialog.tsx'

interface ShareChoiceProps {
  teaching: Teaching
  /** The listening position in seconds; 0 if not started. */
  momentOf: (teaching: Teaching) => number
  onDone: () => void
}

/** Share, in a sheet of choices; the sheet closes after it. */
export function ShareChoice({ teaching, momentOf, onDone }: ShareChoiceProps) {
  const [moment, setMoment] = useState<number | null>(null)
  return (
    <>
      <Choice
        icon={<Share2 aria-hidden="true" className="size-5 shrink-0" />}
        onClick={() => setMoment(momentOf(teaching))}
      >
        Share
      </Choice>
      {moment !== null && <ShareDialog teaching={teaching} moment={moment} onClose={onDone} />}
    </>
  )
}
