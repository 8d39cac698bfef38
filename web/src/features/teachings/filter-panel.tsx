import { counted } from '@fellowship/schema/counted'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import {
  facetsOf,
  isOpenFilter,
  type Facet,
  type TeachingFilter,
} from '@fellowship/schema/teachings/teaching-facets'
import { DialogBackdrop, DialogPanel, DialogTitle } from '@headlessui/react'
import { X } from 'lucide-react'
import {
  useDeferredValue,
  useEffect,
  useEffectEvent,
  useId,
  useMemo,
  useRef,
  useState,
  type ReactNode,
} from 'react'
import { classNames } from '../../lib/class-names.ts'
import { listen } from '../../lib/listen.ts'
import { Button } from '../../ui/button.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Modal } from '../../ui/modal.tsx'
import { Year } from './year-select.tsx'
import './filter-panel.css'

interface FilterPanelProps {
  /** The rows that match the search; undefined until the whole library has been read. */
  rows: readonly ListedTeaching[] | undefined
  /** The number of teachings that the list shows; undefined until it is known. */
  found: number | undefined
  years: readonly number[]
  filter: TeachingFilter
  onFilter: (change: Partial<TeachingFilter>) => void
  onClose: () => void
}

/**
 * The books and speakers to filter by, with counts: a sheet on a phone, with the year and the number of results, and a
 * popover on wider screens, which closes on a choice. They come from the replica, so the panel works offline.
 */
export function FilterPanel(props: FilterPanelProps) {
  const [isPhone] = useState(() => matchMedia('(width < 40rem)').matches)
  return isPhone ? <Sheet {...props} /> : <Popover {...props} />
}

function Sheet({ found, years, filter, onFilter, onClose, rows }: FilterPanelProps) {
  return (
    <Modal onClose={onClose}>
      <DialogBackdrop className="fixed inset-0 bg-veil" />
      <DialogPanel className="filter-sheet fixed inset-x-0 bottom-0 flex animate-rise flex-col border-t border-line bg-raised shadow-soft">
        <div className="flex items-center justify-between pt-2 pr-2 pl-5">
          <DialogTitle className="font-serif text-2xl">Filter</DialogTitle>
          <IconButton label="Close" icon={X} onClick={onClose} />
        </div>
        <div className="filter-choices flex flex-col gap-6 overflow-y-auto px-5 py-4">
          <Year years={years} year={filter.year} onYear={(year) => onFilter({ year })} />
          <Facets rows={rows} filter={filter} onFilter={onFilter} />
        </div>
        <div className="filter-end flex flex-wrap items-center justify-end gap-2 border-t border-line px-5 pt-3">
          {!isOpenFilter(filter) && (
            <Button kind="quiet" onClick={() => onFilter({ book: null, speaker: null, year: null })}>
              Clear
            </Button>
          )}
          <Button className="grow" onClick={onClose}>
            <span aria-live="polite">
              {found === undefined ? 'Show teaching' : `Show ${counted(found, 'teaching')}`}
            </span>
          </Button>
        </div>
      </DialogPanel>
    </Modal>
  )
}

function Popover({ filter, onFilter, onClose, rows }: FilterPanelProps) {
  const panel = useRef<HTMLFieldSetElement>(null)
  /** Closes the popover, and returns the focus to its button if it was inside. */
  const leave = () => {
    const { current } = panel
    if (current?.contains(document.activeElement))
      current.form?.querySelector<HTMLElement>('[aria-expanded=true]')?.focus()
    onClose()
  }
  const onElsewhere = useEffectEvent(({ target }: Event) => {
    // A press on the button of the filter toggles it by itself.
    if (!panel.current?.form?.contains(target as Node)) onClose()
  })
  const onKey = useEffectEvent((event: KeyboardEvent) => {
    if (event.key === 'Escape') leave()
  })
  useEffect(() => {
    const stops = [
      listen(document, ['pointerdown', 'focusin'], onElsewhere),
      listen(document, ['keydown'], onKey),
    ]
    return () => stops.forEach((stop) => stop())
  }, [])
  return (
    <fieldset
      ref={panel}
      aria-label="Filter"
      className="filter-popover filter-choices absolute z-20 mt-2 flex animate-rise flex-col gap-6 overflow-y-auto rounded-card border border-line bg-raised p-6 shadow-soft print:hidden"
    >
      <Facets
        rows={rows}
        filter={filter}
        onFilter={(change) => {
          leave()
          onFilter(change)
        }}
      />
    </fieldset>
  )
}

function Facets({ rows, ...chosen }: Pick<FilterPanelProps, 'rows' | 'filter' | 'onFilter'>) {
  // Counts of a part of the library would be wrong.
  if (!rows) return <output className="text-soft">Reading the whole library…</output>
  return <Counted rows={rows} {...chosen} />
}

interface CountedProps {
  rows: readonly ListedTeaching[]
  filter: TeachingFilter
  onFilter: (change: Partial<TeachingFilter>) => void
}

function Counted({ rows, filter, onFilter }: CountedProps): ReactNode {
  // Counting takes longer than a keystroke may, so it is deferred.
  const counting = useDeferredValue(rows)
  const { books, speakers } = useMemo(() => facetsOf(counting, filter), [counting, filter])
  if (books.length + speakers.length === 0)
    return <p className="text-soft">There is nothing to browse in yet.</p>
  const of = (wanted: 'Old' | 'New') => books.filter(({ testament }) => testament === wanted)
  const onBook = (book: string | null) => onFilter({ book })
  return (
    <>
      <Choices
        title="Speaker"
        facets={speakers}
        chosen={filter.speaker}
        onChoose={(speaker) => onFilter({ speaker })}
      />
      <Choices title="Old Testament" facets={of('Old')} chosen={filter.book} onChoose={onBook} />
      <Choices title="New Testament" facets={of('New')} chosen={filter.book} onChoose={onBook} />
    </>
  )
}

interface ChoicesProps {
  title: string
  facets: readonly Facet<string>[]
  chosen: string | null
  onChoose: (value: string | null) => void
}

/** If there are more choices, a button shows them. */
const mostShown = 18

function Choices({ title, facets, chosen, onChoose }: ChoicesProps) {
  const id = useId()
  const [all, setAll] = useState(false)
  if (facets.length === 0) return null
  const shown = all ? facets : facets.filter(({ value }, at) => at < mostShown || value === chosen)
  return (
    <section aria-labelledby={id}>
      <p id={id} className="text-small font-semibold text-wheat-text">
        {title}
      </p>
      <ul className="mt-2 flex flex-wrap gap-2">
        {shown.map(({ value, count }) => (
          <li key={value} className="max-w-full">
            <button
              type="button"
              aria-pressed={value === chosen}
              onClick={() => onChoose(value === chosen ? null : value)}
              className={classNames(
                'inline-flex min-h-11 max-w-full items-center gap-2 rounded-full border px-4 text-small transition-colors',
                value === chosen
                  ? 'border-pine bg-pine font-medium text-on-pine'
                  : 'border-line-strong bg-raised text-ink hover:border-pine hover:bg-pine-tint',
              )}
            >
              <span className="truncate">{value}</span>
              <span className={classNames('tabular-nums', value !== chosen && 'text-soft')}>{count}</span>
              <span className="sr-only">{count === 1 ? 'teaching' : 'teachings'}</span>
            </button>
          </li>
        ))}
        {shown.length < facets.length && (
          <li>
            <Button kind="quiet" onClick={() => setAll(true)}>
              All {facets.length}
            </Button>
          </li>
        )}
      </ul>
    </section>
  )
}
