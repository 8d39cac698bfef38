import { heldTexts } from '@fellowship/schema/sync/held.texts'
import { shownMoment } from '../lib/shown-moment.ts'
import type { FormDraft } from '../lib/zod.form.ts'
import { Button } from './button.tsx'

/** The fields of a row that another person has changed since a form opened; 'gone' if the row was deleted. */
export type ChangedMeanwhile = readonly { label: string; now: string }[] | 'gone'

interface FormNotesProps {
  draft?: Pick<FormDraft, 'at' | 'discard'> | undefined
  changed?: ChangedMeanwhile | undefined
}

/** Above the fields of a form: the words of an earlier time are here again, and the row was changed meanwhile. */
export function FormNotes({ draft, changed = [] }: FormNotesProps) {
  return (
    <div className="flex flex-col gap-3 text-small text-soft empty:hidden">
      {draft?.at !== undefined && (
        <p className="flex flex-wrap items-center gap-x-4">
          {heldTexts.draft(shownMoment(draft.at, isRecent(draft.at) ? 'time' : 'moment'))}
          <Button kind="quiet" className="-mx-5 text-small" onClick={draft.discard}>
            Discard
          </Button>
        </p>
      )}
      <output className="empty:hidden">
        {changed === 'gone' ? heldTexts.gone : changed.length > 0 && <Changes changed={changed} />}
      </output>
    </div>
  )
}

function Changes({ changed }: { changed: Exclude<ChangedMeanwhile, 'gone'> }) {
  return (
    <>
      <span className="block">{heldTexts.changed}</span>
      {changed.map(({ label, now }) => (
        <span key={label} className="line-clamp-3 block wrap-anywhere">
          <span className="font-medium text-ink">{label}:</span> {now}
        </span>
      ))}
    </>
  )
}

const isRecent = (at: number) => Date.now() - at < 12 * 3_600_000
