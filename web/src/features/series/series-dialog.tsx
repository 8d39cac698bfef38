import { formatDate } from '@fellowship/schema/dates'
import { seriesLimits } from '@fellowship/schema/series/series.limits'
import { newSeries, type Series } from '@fellowship/schema/series/series.schema'
import { seriesTexts } from '@fellowship/schema/series/series.texts'
import { shownTitle } from '@fellowship/schema/teachings/shown-title'
import { buildTeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { teachingLimits } from '@fellowship/schema/teachings/teachings.limits'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useMutation } from '@tanstack/react-query'
import { ArrowDown, ArrowUp, GripVertical, Plus, X } from 'lucide-react'
import { useDeferredValue, useEffect, useId, useMemo, useRef, useState } from 'react'
import { classNames } from '../../lib/class-names.ts'
import { queryClient } from '../../lib/query-client.ts'
import { useZodForm } from '../../lib/zod.form.ts'
import { Field, Input, Textarea } from '../../ui/field.tsx'
import { FormDialog } from '../../ui/form-dialog.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { showToast } from '../../ui/toast.ts'
import { useListDrag } from '../../ui/use-list-drag.ts'
import { FinderChoice, FinderInput } from './finder-parts.tsx'
import { saveSeries } from './series.device.ts'

interface SeriesDialogProps {
  /** The series as it was shown; undefined for a new one. */
  series: Series | undefined
  first?: Teaching
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

interface OrderEditorProps {
  uids: readonly string[]
  /** The library by uid; deleted teachings are missing. */
  library: ReadonlyMap<string, Teaching>
  onChange: (uids: string[]) => void
}

/** The teachings of a series in order, moved by dragging, by keys or by buttons. */
function OrderEditor({ uids, library, onChange }: OrderEditorProps) {
  const id = useId()
  const [said, setSaid] = useState('')
  const focus = useRef<string>(undefined)
  const titleOf = (uid: string) => {
    const teaching = library.get(uid)
    return teaching ? shownTitle(teaching) : 'A deleted teaching'
  }
  const move = (from: number, to: number, way: 'up' | 'down' | 'by handle') => {
    if (to < 0 || to >= uids.length) return
    focus.current = `${way} ${uids[from]}`
    setSaid(`${titleOf(uids[from]!)} is now ${to + 1} of ${uids.length}`)
    onChange(moved(uids, from, to))
  }
  const { list, drag, handle } = useListDrag((uid, to) => move(uids.indexOf(uid), to, 'by handle'))
  // Browsers remove the focus from a button whose row moves.
  useEffect(() => {
    const wanted = focus.current
    focus.current = undefined
    if (wanted) list.current?.querySelector<HTMLElement>(`[data-move="${wanted}"]`)?.focus()
  }, [uids, list])
  return (
    <div>
      <p id={id} className="text-small font-medium text-ink">
        Teachings in order
      </p>
      <ol ref={list} aria-labelledby={id} className="mt-1.5 flex flex-col divide-y divide-line">
        {uids.map((uid, at) => (
          <li
            key={uid}
            className={classNames(
              'flex flex-wrap items-center gap-x-2 py-1',
              drag?.key === uid && 'opacity-60',
              drag && drag.key !== uid && drag.place === at && 'outline-2 outline-pine',
            )}
          >
            <IconButton
              label={`Reorder ${titleOf(uid)}: drag, or press the up and down arrow keys`}
              icon={GripVertical}
              data-move={`by handle ${uid}`}
              className="shrink-0 cursor-grab touch-none active:cursor-grabbing"
              {...handle(uid, at)}
            />
            <span className="min-w-0 flex-1 basis-32 wrap-anywhere">{titleOf(uid)}</span>
            {/* With large text the buttons have a line of their own. */}
            <div className="ml-auto flex flex-wrap justify-end">
              <IconButton
                label={`Move up ${titleOf(uid)}`}
                icon={ArrowUp}
                data-move={`up ${uid}`}
                aria-disabled={at === 0 || undefined}
                onClick={() => move(at, at - 1, 'up')}
              />
              <IconButton
                label={`Move down ${titleOf(uid)}`}
                icon={ArrowDown}
                data-move={`down ${uid}`}
                aria-disabled={at === uids.length - 1 || undefined}
                onClick={() => move(at, at + 1, 'down')}
              />
              <IconButton
                kind="danger"
                label={`Take out ${titleOf(uid)}`}
                icon={X}
                onClick={() => onChange(uids.filter((other) => other !== uid))}
              />
            </div>
          </li>
        ))}
      </ol>
      {uids.length === 0 && <p className="mt-1.5 text-soft">None yet. Find them below.</p>}
      <output className="sr-only">{said}</output>
    </div>
  )
}

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

/** The list with one member at another index; an index outside of the list means its nearest end. */
export function moved<Value>(list: readonly Value[], from: number, to: number): Value[] {
  const rest = list.filter((_, at) => at !== from)
  rest.splice(Math.max(0, to), 0, ...list.slice(from, from + 1))
  return rest
}
