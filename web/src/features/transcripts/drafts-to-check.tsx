import { counted } from '@fellowship/schema/counted'
import { formatDate } from '@fellowship/schema/dates'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { transcripts } from '@fellowship/schema/transcripts/transcripts.contract'
import { transcriptTexts as texts } from '@fellowship/schema/transcripts/transcripts.texts'
import { Link } from '@tanstack/react-router'
import { adminQuery } from '../../lib/admin-query.ts'
import { Card } from '../../ui/card.view.tsx'

const useDrafts = adminQuery(transcripts.drafts)

/** For signed-in people: the teachings whose text waits to be checked and approved. Empty without one, and offline. */
export function DraftsToCheck() {
  const { data } = useDrafts()
  if (!data || data.count === 0) return null
  const { count, drafts } = data
  return (
    <section aria-label="Texts to check" className="mb-6 print:hidden">
      <Card className="px-[min(1rem,5vw)] py-3 max-sm:mx-[max(-.75rem,-4vw)]">
        <details>
          <summary className="min-h-6 py-1 font-medium text-pine">{counted(count, 'text')} to check</summary>
          <p className="mt-1 text-small text-soft">{texts.waitForApproval}</p>
          <ul className="mt-2 max-h-80 divide-y divide-line overflow-y-auto">
            {drafts.map((draft) => (
              <li key={draft.uid} className="py-2 wrap-anywhere">
                <Link
                  to="/$"
                  params={{ _splat: teachingPath(draft).slice(1) }}
                  className="text-pine underline underline-offset-4"
                >
                  {shownTitle(draft)}
                </Link>
                <p className="dotted text-small text-soft">
                  <time dateTime={draft.date}>{formatDate(draft.date)}</time> <span>{draft.speaker}</span>{' '}
                  <span>{texts.draftBy(draft)}</span>
                </p>
              </li>
            ))}
          </ul>
          {count > drafts.length && (
            <p className="mt-2 text-small text-soft">{texts.moreDrafts(count - drafts.length)}</p>
          )}
        </details>
      </Card>
    </section>
  )
}
