import { localTimeAt } from '@fellowship/schema/dates'
import { type EventRow, timesFault, writtenEvent } from '@fellowship/schema/events/events.schema'
import { afterMinutes, isLocalTime, minutesBetween } from '@fellowship/schema/events/local-time'
import { ruleChoices, withEnd, withoutEnd } from '@fellowship/schema/events/repeat-rule'
import { useState } from 'react'
import { z } from 'zod'
import { useZodForm } from '../../lib/zod.form.ts'
import { Field, Input, Select, Textarea } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { useHeldRow } from '../sync/held-row.device.ts'
import { useSaveEvent } from './event-queries.admin.ts'

/** 'Add Event' and 'Edit Event'. The rule is chosen among those that fit the start; another one stays as it is. */
export function EventForm({ event, onClose }: { event: EventRow | undefined; onClose: () => void }) {
  const { row, draft, close } = useHeldRow('event', event?.uid ?? 'new', shownFields(event), onClose)
  const form = useZodForm(fields, row, draft)
  const save = useSaveEvent()
  const { errors, isDirty } = form.formState
  const starts = form.watch('starts')
  const [earlier, setEarlier] = useState(starts)
  const choices = isLocalTime(starts) ? ruleChoices(starts) : []
  const submit = form.handleSubmit(async ({ repeat, until, ...words }) => {
    const body = { ...words, repeats: ruleOf(event, words.starts, { repeat, until }) }
    const done = await save
      .mutateAsync(
        event
          ? { id: event.id, event: { ...body, baseRev: event.rev } }
          : { id: undefined, event: { ...body, cancelled: [] } },
      )
      .catch(() => undefined)
    if (done) close()
  })
  /** The end follows the start, so that the event stays as long as it is. */
  const moveEnd = () => {
    const { starts: now, ends } = form.getValues()
    if (isLocalTime(now) && isLocalTime(earlier) && isLocalTime(ends))
      form.setValue('ends', afterMinutes(now, minutesBetween(earlier, ends)), { shouldDirty: true })
    setEarlier(now)
  }
  return (
    <FormDialog
      title={event ? 'Edit Event' : 'Add Event'}
      onSubmit={submit}
      onClose={close}
      dirty={isDirty}
      submitLabel={event ? 'Save' : 'Create'}
      pending={save.isPending}
      pendingLabel="Saving..."
      problem={save.error}
      draft={draft}
    >
      <Field label="Title" error={errors.title?.message}>
        {(control) => <Input {...control} data-autofocus {...form.register('title')} />}
      </Field>
      <Field label="Place" optional error={errors.place?.message}>
        {(control) => <Input {...control} {...form.register('place')} />}
      </Field>
      <div className="grid gap-4 sm:grid-cols-2">
        <Field label="Starts" error={errors.starts?.message}>
          {(control) => (
            <Input {...control} type="datetime-local" {...form.register('starts', { onChange: moveEnd })} />
          )}
        </Field>
        <Field label="Ends" error={errors.ends?.message}>
          {(control) => <Input {...control} type="datetime-local" {...form.register('ends')} />}
        </Field>
        <Field label="Repeats" error={errors.repeat?.message}>
          {(control) => (
            <Select {...control} {...form.register('repeat')}>
              <option value="never">Never</option>
              {choices.map(({ id, label }) => (
                <option key={id} value={id}>
                  {label}
                </option>
              ))}
              {row.repeat === 'own' && <option value="own">{event?.repeats}</option>}
            </Select>
          )}
        </Field>
        <Field label="Until" optional error={errors.until?.message}>
          {(control) => <Input {...control} type="date" {...form.register('until')} />}
        </Field>
      </div>
      <Field label="Description" optional error={errors.description?.message}>
        {(control) => <Textarea {...control} rows={4} {...form.register('description')} />}
      </Field>
    </FormDialog>
  )
}

const fields = z
  .object({
    title: writtenEvent.title.written,
    place: writtenEvent.place.written,
    starts: writtenEvent.starts.written,
    ends: writtenEvent.ends.written,
    /** The id of a choice; 'never', or 'own' for a rule that the form does not offer. */
    repeat: z.string(),
    until: z.string(),
    description: writtenEvent.description.written,
  })
  .check(({ value, issues }) => {
    const message = timesFault(value)
    if (message) issues.push({ code: 'custom', path: ['ends'], message, input: value.ends })
  })
type Fields = z.infer<typeof fields>

function shownFields(event: EventRow | undefined): Fields {
  const { title = '', place = '', description = '', repeats = null } = event ?? {}
  const starts = event?.starts ?? nextHour()
  const { rule, until } = repeats === null ? { rule: '', until: '' } : withoutEnd(repeats)
  const known = ruleChoices(starts).find((choice) => choice.rule === rule)?.id
  return {
    title,
    place,
    description,
    starts,
    ends: event?.ends ?? afterMinutes(starts, 60),
    repeat: repeats === null ? 'never' : (known ?? 'own'),
    until: known === undefined ? '' : until,
  }
}

const nextHour = () => `${afterMinutes(localTimeAt(new Date()), 60).slice(0, 14)}00`

function ruleOf(
  event: EventRow | undefined,
  starts: string,
  { repeat, until }: Pick<Fields, 'repeat' | 'until'>,
): string | null {
  if (repeat === 'own') return event?.repeats ?? null
  const choice = ruleChoices(starts).find(({ id }) => id === repeat)
  return choice ? withEnd(choice.rule, until) : null
}
