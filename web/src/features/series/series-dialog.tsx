import { seriesLimits } from '@fellowship/schema/series/series.limits'
import { newSeries, type Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useMutation } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { queryClient } from '../../lib/query-client.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { OrderEditor } from './order-editor.tsx'
import { saveSeries } from './series.device.ts'
import { TeachingFinder } from './teaching-finder.tsx'

interface SeriesDialogProps {
  /** The series as it was shown; undefined for a new one. */
  series: Series | undefined
  /** The first teaching of a new series. */
  first?: Teaching
  /** The library. */
  rows: readonly Teaching[]
  userId: number
  onClose: () => void
  /** Called with the uid when the series is saved in the outbox. */
  onSaved?: (uid: string) => void
}

/** Begins a series or edits one: title, description, and the teachings in order. */
export function SeriesDialog({ series, first, rows, userId, onClose, onSaved }: SeriesDialogProps) {
  const [begun] = useState<readonly string[]>(series?.teachings ?? (first ? [first.uid] : []))
  const [uids, setUids] = useState(begun)
  const form = useZodForm(newSeries.pick({ title: true, description: true }), {
    title: series?.title ?? '',
    description: series?.description ?? '',
  })
  const save = useMutation(
    {
      mutationFn: (words: { title: string; description: string }) =>
        saveSeries(series, { ...words, teachings: uids }, userId),
      onSuccess: (uid: string) => {
        onClose()
        onSaved?.(uid)
      },
      onError: () => showToast({ title: 'Error', description: seriesTexts.saveFailed, kind: 'destructive' }),
    },
    queryClient,
  )
  const library = useMemo(() => new Map(rows.map((row) => [row.uid, row])), [rows])
  const taken = useMemo(() => new Set(uids), [uids])
  const { errors, isDirty } = form.formState
  const isFull = uids.length >= seriesLimits.teachings
  return (
    <FormDialog
      title={series ? 'Edit Series' : 'New Series'}
      onSubmit={form.handleSubmit((words) => save.mutate(words))}
      onClose={onClose}
      dirty={isDirty || uids !== begun}
      submitLabel="Save"
      pending={save.isPending}
      pendingLabel="Saving..."
      problem={save.error}
    >
      <Field label="Title" error={errors.title?.message}>
        {(control) => <Input {...control} maxLength={seriesLimits.title} {...form.register('title')} />}
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        {(control) => (
          <Textarea {...control} maxLength={seriesLimits.description} {...form.register('description')} />
        )}
      </Field>
      <OrderEditor uids={uids} library={library} onChange={setUids} />
      {isFull ? (
        <p className="text-small text-soft">{seriesTexts.tooLong}</p>
      ) : (
        <TeachingFinder rows={rows} taken={taken} onAdd={({ uid }) => setUids([...uids, uid])} />
      )}
    </FormDialog>
  )
}
