import type { InboxItem } from '@fellowship/schema/inbox/inbox.schema'
import { inboxTexts as texts } from '@fellowship/schema/inbox/inbox.texts'
import { useState } from 'react'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { LoadFailure } from '../../ui/load-failure.tsx'
import { Section } from '../../ui/section.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { InboxDialog } from './inbox-dialog.tsx'
import { useInbox, useRemoveInbox } from './inbox-queries.admin.ts'

/** Recordings that could not be published automatically: the reason, and buttons to correct or delete them. */
export function InboxList() {
  const { data, error, refetch } = useInbox()
  const [publishing, setPublishing] = useState<InboxItem>()
  const [deleting, setDeleting] = useState<InboxItem>()
  const remove = useRemoveInbox()
  return (
    <Section
      title="Inbox"
      description="Recordings that need checking. Each is kept for 30 days."
      actions={data && data.length > 0 && <Badge tone="wheat">{data.length} waiting</Badge>}
    >
      {error && !data && <LoadFailure sentence={texts.loadFailed} onRetry={() => void refetch()} />}
      {!data && !error && <Skeleton className="h-24 w-full" />}
      {data?.length === 0 && <p className="text-soft">{texts.empty}</p>}
      {data && data.length > 0 && (
        <ul aria-label="Inbox" className="flex flex-col gap-4">
          {data.map((item) => (
            <li key={item.id}>
              <Card className="admin-box">
                <p className="font-medium wrap-anywhere">{item.filename}</p>
                <p className="text-small text-soft">
                  {fileSize(item.bytes)}, arrived {shownMoment(item.arrivedAt)}, kept until{' '}
                  {shownMoment(item.keptUntil)}
                </p>
                <p className="mt-3 wrap-anywhere">{item.reason}</p>
                <p className="mt-1 wrap-anywhere text-pine">{item.fix}</p>
                <div className="mt-4 flex flex-wrap gap-3">
                  <Button
                    kind="secondary"
                    aria-label={`Correct and Publish ${item.filename}`}
                    onClick={() => setPublishing(item)}
                  >
                    Correct and Publish
                  </Button>
                  <Button
                    kind="quiet"
                    aria-label={`Delete ${item.filename}`}
                    onClick={() => setDeleting(item)}
                  >
                    Delete
                  </Button>
                </div>
              </Card>
            </li>
          ))}
        </ul>
      )}
      {publishing && <InboxDialog item={publishing} onClose={() => setPublishing(undefined)} />}
      {deleting && (
        <ConfirmDialog
          title="Delete Recording"
          question={texts.confirmDelete}
          confirmLabel="Delete"
          pending={remove.isPending}
          pendingLabel="Deleting..."
          onConfirm={() => remove.mutate(deleting, { onSettled: () => setDeleting(undefined) })}
          onCancel={() => setDeleting(undefined)}
        />
      )}
    </Section>
  )
}
