import { Link } from '@tanstack/react-router'
import { classNames } from '../../../lib/class-names.ts'
import { useSavedShelf } from './saved.ts'

type Show = 'saved' | 'new' | 'all'

/** Links to the whole library, the new teachings and the saved ones; the address contains the choice. */
export function SavedFilter({ show, onManage }: { show: Show; onManage: () => void }) {
  const shelf = useSavedShelf()
  const count = shelf.byKey.size
  const busy = [...shelf.byKey.values()].some(({ state }) => state === 'waiting')
  return (
    <div
      className={classNames(
        'mt-2 flex flex-wrap items-center justify-between gap-3 sm:mt-4',
        // On a phone it is hidden until something is saved.
        count === 0 && show === 'all' && 'max-sm:hidden',
      )}
    >
      <nav aria-label="Which teaching" className="inline-flex flex-wrap rounded-card bg-sunk p-1">
        <Choice show="all" current={show}>
          All teaching
        </Choice>
        {show === 'new' && (
          <Choice show="new" current={show}>
            New
          </Choice>
        )}
        <Choice show="saved" current={show}>
          Saved{shelf.status === 'known' && ` (${count})`}
        </Choice>
      </nav>
      {show !== 'new' && (
        <button
          type="button"
          aria-haspopup="dialog"
          aria-label={busy ? 'Saving… Manage saved teaching' : 'Manage saved teaching'}
          onClick={onManage}
          className="min-h-11 rounded-card px-1 text-small font-medium text-pine underline decoration-line-strong underline-offset-4 hover:decoration-pine"
        >
          {busy ? 'Saving…' : 'Manage'}
        </button>
      )}
    </div>
  )
}

function Choice({ show, current, children }: { show: Show; current: Show; children: React.ReactNode }) {
  return (
    <Link
      from="/teaching"
      to="/teaching"
      // The search stays the same.
      search={({ q, book, speaker, year }) => ({ q, book, speaker, year, show })}
      replace
      resetScroll={false}
      aria-current={show === current ? 'true' : undefined}
      // Any value matches: the router replaces ours by "page" when the link is active.
      className="inline-flex min-h-11 items-center rounded-[0.6rem] px-4 text-small font-medium text-soft transition-colors hover:text-pine aria-[current]:bg-raised aria-[current]:text-ink"
    >
      {children}
    </Link>
  )
}
