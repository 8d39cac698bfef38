import { formatDate } from '@fellowship/schema/dates'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import {
  emptySeries,
  seriesLabels,
  seriesTextOf,
  type SeriesText,
} from '@fellowship/schema/series/series-words'
import { newSeries, type Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { buildTeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useMutation } from '@tanstack/react-query'
import { Plus } from 'lucide-react'
import { useDeferredValue, useMemo, useState } from 'react'
import { useWatch } from 'react-hook-form'
import { z } from 'zod'
import { queryClient } from '../../lib/query-client.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { showToast } from '../../ui/toast.ts'
import { signedIn, useAuth } from '../auth/auth-context.tsx'
import { changedSinceOpened } from '../sync/shown-words.device.ts'
import { useHeldRow } from '../sync/held-row.device.ts'
import { FinderChoice, FinderInput } from './finder-parts.tsx'
import { OrderEditor } from './order-editor.tsx'
import { saveSeries } from './series.device.ts'
import { useSeries } from './use-series.list.ts'

interface SeriesDialogProps {
  /** The series as it was shown at the press; undefined for a new one. */
  series: Series | undefined
  /** The first teaching of a new one. */
  first?: Teaching
  /** The teachings of the library; undefined until they are read. */
  rows: readonly Teaching[] | undefined
  onClose: () => void
  /** Called with the uid when the series is saved in the outbox. */
  onSaved?: (uid: string) => void
}

/** Begins a series or edits one: title, description, and the teachings in order. */
export function SeriesDialog({ series: shown, first, rows, onClose, onSaved }: SeriesDialogProps) {
  const { user } = useAuth()
  const { row, draft, close } = useHeldRow(
    'series',
    shown?.uid ?? `new ${first?.uid ?? ''}`,
    shown ?? { ...emptySeries, teachings: first ? [first.uid] : [] },
    onClose,
  )
  const form = useZodForm(seriesForm, { ...seriesTextOf(row), teachings: [...row.teachings] }, draft)
  const uids = useWatch({ control: form.control, name: 'teachings' })
  const save = useMutation(
    {
      mutationFn: (text: SeriesText) => saveSeries(shown && { ...shown, ...row }, text, signedIn(user)),
      onSuccess: (uid: string) => {
        close()
        onSaved?.(uid)
      },
      onError: () => showToast({ title: 'Error', description: seriesTexts.saveFailed, kind: 'destructive' }),
    },
    queryClient,
  )
  const titleOf = useMemo(() => {
    const titles = new Map(
      [...(rows ?? []), ...(first ? [first] : [])].map((each) => [each.uid, shownTitle(each)]),
    )
    return (uid: string) => titles.get(uid) ?? (rows ? 'A deleted teaching' : 'Loading…')
  }, [rows, first])
  const taken = useMemo(() => new Set(uids), [uids])
  const setUids = (next: string[]) => form.setValue('teachings', next, { shouldDirty: true })
  const { errors, isDirty } = form.formState
  const isFull = uids.length >= seriesLimits.teachings
  return (
    <FormDialog
      title={shown ? 'Edit Series' : 'New Series'}
      onSubmit={form.handleSubmit((text) => save.mutate(text))}
      onClose={close}
      dirty={isDirty}
      submitLabel="Save"
      pending={save.isPending}
      pendingLabel="Saving..."
      problem={save.error}
      draft={draft}
      changed={useChanges(shown && row)}
    >
      <Field label="Title" error={errors.title?.message}>
        {(control) => <Input {...control} maxLength={seriesLimits.title} {...form.register('title')} />}
      </Field>
      <Field label="Description" optional error={errors.description?.message}>
        {(control) => (
          <Textarea {...control} maxLength={seriesLimits.description} {...form.register('description')} />
        )}
      </Field>
      <OrderEditor uids={uids} titleOf={titleOf} onChange={setUids} />
      {isFull ? (
        <p className="text-small text-soft">{seriesTexts.tooLong}</p>
      ) : (
        <TeachingFinder rows={rows ?? none} taken={taken} onAdd={({ uid }) => setUids([...uids, uid])} />
      )}
    </FormDialog>
  )
}

/** The server checks the order of the teachings. */
const seriesForm = newSeries.pick({ title: true, description: true }).extend({
  teachings: z.array(z.string()),
})

/** How the series differs now from the one that is edited; `opened` is undefined for a new one. */
function useChanges(opened: (SeriesText & { uid?: string }) | undefined) {
  const { user } = useAuth()
  const all = useSeries(user?.id)
  // Signed out, the person's own pending changes are not shown.
  if (!opened || !user || !all) return undefined
  const now = all.find(({ uid }) => uid === opened.uid)
  return changedSinceOpened(seriesLabels, seriesTextOf(opened), now && seriesTextOf(now))
}

const none: readonly Teaching[] = []

interface TeachingFinderProps {
  rows: readonly Teaching[]
  /** The uids of teachings that are in the series already. */
  taken: ReadonlySet<string>
  onAdd: (teaching: Teaching) => void
}

/** Finds teachings of the library by words, and adds them. */
function TeachingFinder({ rows, taken, onAdd }: TeachingFinderProps) {
  const [query, setQuery] = useState('')
  const wanted = useDeferredValue(query.trim())
  const isSearching = wanted !== ''
  // Built when the search starts: indexing ten thousand rows takes a moment.
  const index = useMemo(() => (isSearching ? buildTeachingIndex(rows) : undefined), [rows, isSearching])
  const found = useMemo(
    () =>
      (index?.search(wanted, { limit: mostFound + taken.size }) ?? []).filter(({ uid }) => !taken.has(uid)),
    [index, wanted, taken],
  )
  return (
    <div>
      <FinderInput
        label="Add teachings"
        maxLength={teachingLimits.searchText}
        placeholder="Title, speaker, book or date"
        query={query}
        onQuery={setQuery}
      />
      {isSearching && (
        <ul aria-label="Found" className="mt-2 flex flex-col">
          {found.slice(0, mostFound).map((teaching) => (
            <FinderChoice
              key={teaching.uid}
              icon={Plus}
              title={shownTitle(teaching)}
              note={`${formatDate(teaching.date)}, ${teaching.speaker}`}
              aria-label={`Add ${shownTitle(teaching)}, ${teaching.speaker}, ${formatDate(teaching.date)}`}
              onClick={() => onAdd(teaching)}
            />
          ))}
        </ul>
      )}
      <output className="text-small text-soft">
        {isSearching && found.length === 0 && 'Nothing else matches.'}
      </output>
    </div>
  )
}

const mostFound = 6
