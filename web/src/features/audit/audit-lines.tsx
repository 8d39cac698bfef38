import type { AuditLine } from '@fellowship/schema/audit/audit.contract'
import { auditActions } from '@fellowship/schema/audit/audit.texts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Card } from '../../ui/card.view.tsx'
import { detailWords } from './audit-details.ts'

/** Lines of the activity log as sentences: when, who, what, and the details. */
export function AuditLines({ lines }: { lines: readonly AuditLine[] }) {
  return (
    <Card className="overflow-hidden">
      <ul aria-label="Activity, newest first" className="divide-y divide-line">
        {lines.map((line) => (
          <li key={line.id} className="admin-line flex flex-wrap gap-x-6 gap-y-1">
            <time dateTime={line.at} className="admin-moment shrink-0 text-small text-soft tabular-nums">
              {shownMoment(line.at)}
            </time>
            <div className="min-w-0 flex-1 basis-64">
              <p className="wrap-anywhere first-letter:uppercase">
                <span className="font-medium">{line.actor}</span> {wordsOf(line.action)}
                {line.subject && <span className="font-medium"> {line.subject}</span>}
              </p>
              <Details details={line.details} />
            </div>
          </li>
        ))}
      </ul>
    </Card>
  )
}

function Details({ details }: Pick<AuditLine, 'details'>) {
  const words = detailWords(details)
  return words === '' ? null : <p className="text-small wrap-anywhere text-soft">{words}</p>
}

/** 'elder.photo_uploaded' → 'uploaded a photo for'; an action without a phrase is shown as 'area: words'. */
function wordsOf(action: string): string {
  const phrase = auditActions[action]
  if (phrase !== undefined) return phrase
  const [area = '', did = ''] = action.split('.')
  return did === '' ? area : `${area}: ${did.replaceAll('_', ' ')}`
}
