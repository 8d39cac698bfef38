import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import { adminQuery } from '../../lib/admin-query.ts'
import { Badge } from '../../ui/badge.tsx'

/** Beside the link to the administration: the number of recordings that wait in the Inbox. */
export function InboxCount() {
  const { data: count } = useCount()
  if (!count) return null
  return (
    <span className="ml-2">
      {' '}
      <Badge tone="wheat">
        <span className="tabular-nums">{count}</span>
        <span className="sr-only"> waiting</span>
      </Badge>
    </span>
  )
}

const useCount = adminQuery(inbox.list, { select: ({ items }) => items.length })
