import { inbox, type InboxItem } from '@fellowship/schema/inbox/inbox.contract'
import { inboxTexts as texts } from '@fellowship/schema/inbox/inbox.texts'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { teachingFields } from '@fellowship/schema/teachings/teachings.schema'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useWatch } from 'react-hook-form'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { fileSize } from '../../lib/file-size.ts'
import { shownMoment } from '../../lib/shown-moment.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.view.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { useDateQuestion } from '../uploads/date-question.list.ts'
import { RecordingFields } from '../uploads/recording-fields.form.tsx'

/** Recordings that could not be published automatically: the reason, and buttons to correct or discard them. */
export function InboxList() {
  const query = useInbox()
  const waiting = query.data?.length ?? 0
  const [publishing, setPublishing] = useState<InboxItem>()
  const [deleting, setDeleting] = useState<InboxItem>()
  const remove = useRemoveInbox()
  return (
    <Section
      title="Inbox"
      description="Recordings that need checking. Each is kept for 30 days."
      actions={waiting > 0 && <Badge tone="wheat">{waiting} waiting</Badge>}
    >
      <Loaded query={query} failure={texts.loadFailed} height="h-24">
        {(items) =>
          items.length === 0 ? (
            <p className="text-soft">{texts.empty}</p>
          ) : (
            <ul aria-label="Inbox" className="flex flex-col gap-4">
              {items.map((item) => (
                <li key={item.id}>
                  <Card className="admin-box">
                    <p className="font-medium wrap-anywhere">{item.filename}</p>
                    <p className="text-small text-soft">
                      {fileSize(item.bytes)}, arrived {shownMoment(item.arrivedAt)}, kept until{' '}
                      {shownMoment(item.keptUntil)}
                    </p>
                    <p className="mt-3 wrap-anywhere">{item.reason}</p>
                    {item.duplicateOf && (
                      <Link
                        to="/$"
                        params={{ _splat: teachingPath(item.duplicateOf).slice(1) }}
                        className="inline-flex min-h-11 items-center text-small font-medium text-pine underline underline-offset-4"
                      >
                        Show it in the library
                      </Link>
                    )}
                    <p className="mt-1 wrap-anywhere text-pine">{item.fix}</p>
                    <div className="mt-4 flex flex-wrap gap-3">
                      <Button
                        kind="secondary"
                        aria-label={`${publishLabel(item.isCutOff)} ${item.filename}`}
                        onClick={() => setPublishing(item)}
                      >
                        {publishLabel(item.isCutOff)}
                      </Button>
                      <Button
                        kind="quiet"
                        aria-label={`Discard ${item.filename}`}
                        onClick={() => setDeleting(item)}
                      >
                        Discard
                      </Button>
                    </div>
                  </Card>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
      {publishing && <InboxDialog item={publishing} onClose={() => setPublishing(undefined)} />}
      {deleting && (
        <ConfirmDialog
          title="Discard Recording"
          question={texts.confirmDelete}
          confirmLabel="Discard"
          pending={remove.isPending}
          pendingLabel="Deleting..."
          onConfirm={() => remove.mutate(deleting, { onSettled: () => setDeleting(undefined) })}
          onCancel={() => setDeleting(undefined)}
        />
      )}
    </Section>
  )
}

const publishLabel = (isCutOff: boolean) => (isCutOff ? texts.publishPresent : 'Correct and Publish')

/**
 * Shows the fields that were parsed from the file name, to be corrected and published. If the end of the recording is
 * missing, which the server may notice only now, the part that is there is published.
 */
function InboxDialog({ item, onClose }: { item: InboxItem; onClose: () => void }) {
  const publish = usePublishInbox()
  const form = useZodForm(teachingFields, textOf(item.parsedData))
  const { errors, isDirty } = form.formState
  const isCutOff = item.isCutOff || (publish.error instanceof CallError && publish.error.code === 'cut_off')
  const scripture = useWatch({ control: form.control, name: 'scriptureReference' })
  const { ask, question } = useDateQuestion()
  return (
    <FormDialog
      title={publishLabel(item.isCutOff)}
      description={item.reason}
      onSubmit={form.handleSubmit((fields) =>
        ask([fields.date], () => publish.mutate({ item, fields, isCutOff }, { onSuccess: onClose })),
      )}
      onClose={onClose}
      dirty={isDirty}
      submitLabel={isCutOff ? texts.publishPresent : 'Publish'}
      pending={publish.isPending}
      pendingLabel="Publishing..."
      problem={publish.error}
    >
      <RecordingFields register={form.register} scripture={scripture} errors={errors} hasMore={false} />
      {question && <ConfirmDialog {...question} />}
    </FormDialog>
  )
}

const useInbox = adminQuery(inbox.list, { select: ({ items }) => items, pollMs: 10_000 })

const usePublishInbox = adminMutation({
  call: ({ item, fields, isCutOff }: { item: InboxItem; fields: EnteredFields; isCutOff: boolean }) =>
    call(inbox.publish, {
      params: { id: item.id },
      body: { ...fields, ...(isCutOff && { acceptCutOff: true }) },
    }),
  success: ({ message }) => ({ title: message }),
  failure: texts.publishFailed,
  invalidates: [inbox.list],
  pendingUntilRefreshed: true,
})

const useRemoveInbox = adminMutation({
  call: ({ id }: InboxItem) => call(inbox.remove, { params: { id } }),
  success: ({ message }) => ({ title: message }),
  failure: texts.deleteFailed,
  invalidates: [inbox.list],
  pendingUntilRefreshed: true,
})
