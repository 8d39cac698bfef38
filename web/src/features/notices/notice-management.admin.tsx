import { churchDate, formatDate } from '@fellowship/schema/dates'
import { daysFault, newNotice, notices, type NoticeRow } from '@fellowship/schema/notices/notices.contract'
import { noticeTexts } from '@fellowship/schema/notices/notices.texts'
import type { Binned } from '@fellowship/schema/sync/written-calls'
import { call } from '@fellowship/sync/call/call'
import { Pencil, Plus, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'
import { binMutations } from '../../lib/bin-mutations.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { Badge } from '../../ui/badge.tsx'
import { Bin, BinRow } from '../../ui/bin.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/confirm-dialog.tsx'
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { openHeld } from '../../ui/held-dialog.ts'
import { IconButton } from '../../ui/icon-button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { refreshReplica } from '../sync/refresh-replica.device.ts'
import { useHeldRow } from '../sync/held-row.device.ts'

export function NoticeManagement() {
  return (
    <>
      <NoticeRows />
      <Bin
        title="Deleted notices"
        description="A deleted notice can be restored for 30 days."
        query={useBinnedNotices()}
        empty={noticeTexts.binEmpty}
        failed={noticeTexts.loadFailed}
        keyOf={({ id }) => id}
      >
        {(notice) => <DeletedNotice notice={notice} />}
      </Bin>
    </>
  )
}

function DeletedNotice({ notice }: { notice: Binned<NoticeRow> }) {
  const { mutate, isPending } = useRestoreNotice()
  const { text, from, until } = notice
  const about = `${formatDate(from)} to ${formatDate(until)}`
  return (
    <BinRow {...notice} title={text} about={about} pending={isPending} onRestore={() => mutate(notice)} />
  )
}

function NoticeRows() {
  return (
    <Section
      title="Notices"
      description="Shown on top of the Home page from one day until another, both included."
      actions={
        <Button icon={Plus} onClick={() => openHeld(NoticeForm, { notice: undefined })}>
          Add Notice
        </Button>
      }
    >
      <Loaded query={useNoticesNow()} failure={noticeTexts.loadFailed} height="h-96">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title="No notices yet">Add the first one with the button above.</EmptyState>
          ) : (
            <ul className="grid gap-3">
              {rows.map((notice) => (
                <NoticeLine key={notice.uid} notice={notice} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

function NoticeLine({ notice }: { notice: NoticeRow }) {
  const { text, from, until } = notice
  const [today] = useState(() => churchDate(new Date()))
  const state = until < today ? 'Over' : from > today ? 'Later' : 'Shown now'
  return (
    <li className="flex flex-wrap items-center gap-x-4 gap-y-2 rounded-card border border-line bg-raised p-4 shadow-soft">
      <div className="min-w-0 grow basis-32 wrap-anywhere">
        <p className="admin-two-lines whitespace-pre-line">{text}</p>
        <p className="mt-1 text-small text-soft">
          {formatDate(from)} to {formatDate(until)}{' '}
          <Badge tone={state === 'Shown now' ? 'pine' : 'plain'}>{state}</Badge>
        </p>
      </div>
      <div className="flex flex-wrap justify-end">
        <IconButton
          label={`Edit the notice: ${text}`}
          icon={Pencil}
          onClick={() => openHeld(NoticeForm, { notice })}
        />
        <IconButton
          kind="danger"
          label={`Delete the notice: ${text}`}
          icon={Trash2}
          onClick={() => openHeld(DeleteNotice, { notice })}
        />
      </div>
    </li>
  )
}

function DeleteNotice({ notice, onClose }: { notice: NoticeRow; onClose: () => void }) {
  const remove = useDeleteNotice()
  return (
    <ConfirmDialog
      title="Delete Notice"
      question={noticeTexts.confirmDelete}
      confirmLabel="Delete"
      pending={remove.isPending}
      pendingLabel="Deleting..."
      onConfirm={() => remove.mutate(notice, { onSettled: onClose })}
      onCancel={onClose}
    />
  )
}

function NoticeForm({ notice, onClose }: { notice: NoticeRow | undefined; onClose: () => void }) {
  const [today] = useState(() => churchDate(new Date()))
  const { text = '', from = today, until = today } = notice ?? {}
  const { row, draft, close } = useHeldRow('notice', notice?.uid ?? 'new', { text, from, until }, onClose)
  const form = useZodForm(fields, row, draft)
  const save = useSaveNotice()
  const { errors, isDirty } = form.formState
  const submit = form.handleSubmit(async (words) => {
    if (await save.mutateAsync({ notice, words }).catch(() => undefined)) close()
  })
  return (
    <FormDialog
      title={notice ? 'Edit Notice' : 'Add Notice'}
      onSubmit={submit}
      onClose={close}
      dirty={isDirty}
      submitLabel={notice ? 'Save' : 'Create'}
      pending={save.isPending}
      pendingLabel="Saving..."
      problem={save.error}
      draft={draft}
    >
      <Field label="Text" error={errors.text?.message}>
        {(control) => <Textarea {...control} data-autofocus rows={4} {...form.register('text')} />}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="From" error={errors.from?.message}>
          {(control) => <Input {...control} type="date" {...form.register('from')} />}
        </Field>
        <Field label="Until" hint="The last day." error={errors.until?.message}>
          {(control) => <Input {...control} type="date" {...form.register('until')} />}
        </Field>
      </div>
    </FormDialog>
  )
}

const fields = newNotice.check(({ value, issues }) => {
  const message = daysFault(value)
  if (message) issues.push({ code: 'custom', path: ['until'], message, input: value.until })
})

const useNoticesNow = adminQuery(notices.list)

interface NoticeToSave {
  notice: NoticeRow | undefined
  words: Pick<NoticeRow, 'text' | 'from' | 'until'>
}

const useSaveNotice = adminMutation({
  call: ({ notice, words }: NoticeToSave): Promise<NoticeRow> =>
    notice
      ? call(notices.update, { params: { id: notice.id }, body: { ...words, baseRev: notice.rev } })
      : call(notices.create, { body: words }),
  success: (_, { notice }) => ({ title: notice ? noticeTexts.updated : noticeTexts.created }),
  failure: noticeTexts.saveFailed,
  invalidates: [notices.list],
  // The public pages read the replica on this device.
  onSuccess: refreshReplica,
})

const { useRemove: useDeleteNotice, useRestore: useRestoreNotice } = binMutations<NoticeRow>({
  remove: ({ id, rev }) => call(notices.remove, { params: { id }, query: { baseRev: rev } }),
  restore: ({ id }) => call(notices.restore, { params: { id } }),
  texts: noticeTexts,
  titleOf: ({ text }) => text,
  invalidates: [notices.list, notices.bin],
  onSuccess: refreshReplica,
})

const useBinnedNotices = adminQuery(notices.bin)
