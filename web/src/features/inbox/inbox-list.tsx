import { churchDate } from '@fellowship/schema/dates'
import { inbox, type InboxItem } from '@fellowship/schema/inbox/inbox.contract'
import { inboxTexts as texts } from '@fellowship/schema/inbox/inbox.texts'
import { addedWords, textOf } from '@fellowship/schema/teachings/teaching-words'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { teachingFields } from '@fellowship/schema/teachings/teachings.schema'
import { dateInName, offeredDates } from '@fellowship/schema/uploads/offered-date'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { call } from '@fellowship/sync/call/call'
import { CallError } from '@fellowship/sync/call/call-error'
import { Link } from '@tanstack/react-router'
import { Inbox as InboxPicture } from 'lucide-react'
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
import { EmptyState } from '../../ui/empty-state.list.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { openHeld } from '../../ui/held-dialog.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/section.tsx'
import { useHeldRow } from '../sync/held-row.device.ts'
import { offersOf } from '../uploads/offers.tsx'
import { useKnownSpeakers } from '../uploads/use-known-speakers.ts'
import { useDateQuestion } from '../uploads/date-question.list.ts'
import { RecordingFields } from '../uploads/recording-fields.form.tsx'

/** Recordings that could not be published automatically: the reason, and buttons to correct or discard them. */
export function InboxList() {
  const query = useInbox()
  const waiting = query.data?.length ?? 0
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
            <EmptyState title={texts.empty} picture={InboxPicture}>
              {texts.emptyHint}
            </EmptyState>
          ) : (
            <ul aria-label="Inbox" className="flex flex-col gap-4">
              {items.map((item) => (
                <li key={item.id}>
                  <Card className="admin-box">
                    <p className="font-medium wrap-anywhere">{item.filename}</p>
                    <p className="dotted text-small text-soft">
                      <span>{fileSize(item.bytes)}</span> <span>Arrived {shownMoment(item.arrivedAt)}</span>{' '}
                      <span>Kept until {shownMoment(item.keptUntil, 'day')}</span>
                    </p>
                    {!item.isUnfit && (
                      // oxlint-disable-next-line jsx-a11y/media-has-caption
                      <audio
                        controls
                        preload="none"
                        aria-label={`Listen to ${item.filename}`}
                        src={inbox.recording.path.replace(':id', item.id)}
                        className="mt-3 w-full"
                      />
                    )}
                    {reasonsOf(item).map((reason) => (
                      <p key={reason} className="mt-3 wrap-anywhere">
                        {reason}
                      </p>
                    ))}
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
                      {!item.isUnfit && (
                        <Button
                          kind="secondary"
                          aria-label={`${publishLabel(item)} ${item.filename}`}
                          onClick={() => openHeld(InboxDialog, { item })}
                        >
                          {publishLabel(item)}
                        </Button>
                      )}
                      <Button
                        kind={item.isUnfit ? 'secondary' : 'quiet'}
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

/** A paragraph for each mistake in the name. */
const reasonsOf = ({ reason, parsedData: { errors } }: InboxItem) =>
  reason === errors.join(' ') ? errors : [reason]

const publishLabel = (
  { isCutOff, soundsWrong }: Pick<InboxItem, 'isCutOff' | 'soundsWrong'>,
  other = 'Correct and Publish',
) => (isCutOff ? texts.publishPresent : soundsWrong ? texts.publishAnyway : other)

/**
 * Shows the fields that were parsed from the file name, to be corrected and published. If the end of the recording is
 * missing, or it does not sound as it should, which the server may notice only now, it is published as it is.
 */
function InboxDialog({ item, onClose }: { item: InboxItem; onClose: () => void }) {
  const publish = usePublishInbox()
  const { row, draft, close } = useHeldRow('inbox', item.id, textOf(item.parsedData), onClose)
  const form = useZodForm(teachingFields, row, draft)
  const { errors, isDirty } = form.formState
  const refused = publish.error instanceof CallError ? publish.error.code : undefined
  const answers = {
    isCutOff: item.isCutOff || refused === 'cut_off',
    soundsWrong: item.soundsWrong || refused === 'sounds_wrong',
  }
  const scripture = useWatch({ control: form.control, name: 'scriptureReference' })
  const { ask, question } = useDateQuestion()
  const [speaker, date] = useWatch({ control: form.control, name: ['speaker', 'date'] })
  const offers = useOffers(item, { speaker, date }, (name, value) =>
    form.setValue(name, value, { shouldDirty: true, shouldValidate: true }),
  )
  return (
    <FormDialog
      title={publishLabel(item)}
      description={`${item.filename}. ${item.reason}`}
      onSubmit={form.handleSubmit((fields) =>
        ask([fields.date], () => publish.mutate({ item, fields, ...answers }, { onSuccess: close })),
      )}
      onClose={close}
      dirty={isDirty}
      submitLabel={publishLabel(answers, 'Publish')}
      pending={publish.isPending}
      pendingLabel="Publishing..."
      problem={publish.error}
      draft={draft}
    >
      <RecordingFields
        register={form.register}
        scripture={scripture}
        errors={errors}
        offers={offers}
        hasMore={addedWords.some((name) => draft.words[name])}
      />
      {question && <ConfirmDialog {...question} />}
    </FormDialog>
  )
}

/** The days to choose from for a file that arrived then, by the church's calendar. */
const datesSince = (arrivedAt: InboxItem['arrivedAt']) =>
  offeredDates(churchDate(new Date(arrivedAt)), churchDate(new Date()))

/** Speakers and dates for the fields that the file name left empty. */
function useOffers(
  { filename, arrivedAt }: InboxItem,
  { speaker, date }: Partial<Pick<EnteredFields, 'speaker' | 'date'>>,
  onFill: (name: 'speaker' | 'date', value: string) => void,
) {
  const inName = dateInName(filename)
  const dates = inName ? [{ date: inName, from: 'name' as const }] : datesSince(arrivedAt)
  const offered = offersOf(useKnownSpeakers(), dates)
  return {
    ...(!speaker && {
      speaker: { choices: offered.speaker, onChoose: (value: string) => onFill('speaker', value) },
    }),
    ...(!date && { date: { choices: offered.date, onChoose: (value: string) => onFill('date', value) } }),
  }
}

const useInbox = adminQuery(inbox.list, { select: ({ items }) => items, pollMs: 10_000 })

type InboxAnswer = { item: InboxItem; fields: EnteredFields } & Pick<InboxItem, 'isCutOff' | 'soundsWrong'>

const usePublishInbox = adminMutation({
  call: ({ item, fields, isCutOff, soundsWrong }: InboxAnswer) =>
    call(inbox.publish, {
      params: { id: item.id },
      body: {
        ...fields,
        ...(isCutOff && { acceptCutOff: true }),
        ...(soundsWrong && { acceptSound: true }),
      },
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
