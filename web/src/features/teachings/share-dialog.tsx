import { formatDate } from '@fellowship/schema/dates'
import { leastSeconds } from '@fellowship/schema/listening/listening-position'
import { sharePath, shareText } from '@fellowship/schema/teachings/share-link'
import { nameOfTeaching, shownTitle } from '@fellowship/schema/teachings/shown-title'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import { Share2 } from 'lucide-react'
import { useState } from 'react'
import { clockTime } from '../../lib/clock-time.ts'
import { Choice } from '../../ui/choice.tsx'
import { ShareSheet } from './share-sheet.tsx'

interface ShareDialogProps {
  teaching: ListedTeaching
  /** The listening position in seconds; 0 if not started. */
  moment: number
  onClose: () => void
}

export function ShareDialog({ teaching, moment, onClose }: ShareDialogProps) {
  const [fromMoment, setFromMoment] = useState(false)
  const { speaker, date, scriptureReference } = teaching
  return (
    <ShareSheet
      heading="Share this teaching"
      description={nameOfTeaching(teaching)}
      title={shownTitle(teaching)}
      message={shareText(teaching)}
      slip={[`${speaker}, ${formatDate(date)}`, ...(scriptureReference ? [scriptureReference] : [])]}
      link={window.location.origin + sharePath(teaching, fromMoment ? moment : 0)}
      onClose={onClose}
    >
      {moment >= leastSeconds && (
        <label className="flex min-h-11 cursor-pointer items-center gap-3">
          <input
            type="checkbox"
            checked={fromMoment}
            onChange={(event) => setFromMoment(event.target.checked)}
            className="size-5 shrink-0 accent-pine"
          />
          Start at {clockTime(moment)}
        </label>
      )}
    </ShareSheet>
  )
}

interface ShareChoiceProps {
  teaching: ListedTeaching
  /** The listening position in seconds; 0 if not started. */
  momentOf: (teaching: ListedTeaching) => number
  onDone: () => void
}

/** Share, in a sheet of choices; the sheet closes after it. */
export function ShareChoice({ teaching, momentOf, onDone }: ShareChoiceProps) {
  const [moment, setMoment] = useState<number | null>(null)
  return (
    <>
      <Choice icon={Share2} onClick={() => setMoment(momentOf(teaching))}>
        Share
      </Choice>
      {moment !== null && <ShareDialog teaching={teaching} moment={moment} onClose={onDone} />}
    </>
  )
}
