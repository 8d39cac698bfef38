import { Link } from '@tanstack/react-router'
import { classNames } from '../../../lib/class-names.ts'
import { useSavedShelf } from './saved.ts'
import { isSaving, savedWords } from './saved-status.ts'

type Show = 'saved' | 'new' | 'all'

/**
 * Beside the heading of the list: the way from the whole library to the saved teachings and back, in the address, and the
 * sheet with everything that is saved.
 */
export function SavedFilter({ show, onManage }: { show: Show; onManage: () => void }) {
  const shelf = useSavedShelf()
  const busy = isSaving(shelf)
  // On a phone it is hidden until something is saved.
  const hidden = shelf.byKey.size === 0 && show === 'all' && 'max-sm:hidden'
  return (
    <>
      <nav aria-label="Which teaching" className={classNames('flex flex-wrap gap-x-4', hidden)}>
        {show !== 'all' && (
          <Choice show="all">
            All<span className="max-sm:sr-only"> Teaching</span>
          </Choice>
        )}
        {show !== 'saved' && (
          <Choice show="saved">
            {savedWords(shelf)}
            {shelf.status === 'unknown' && <span className="invisible">&nbsp;(0)</span>}
          </Choice>
        )}
      </nav>
      {show !== 'new' && (
        <button
          type="button"
          aria-haspopup="dialog"
          aria-label={busy ? 'Saving… Manage saved teaching' : 'Manage saved teaching'}
          onClick={onManage}
          className={classNames(linkClass, hidden)}
        >
          {busy ? 'Saving…' : 'Manage'}
        </button>
      )}
    </>
  )
}

const linkClass =
  '-my-2 inline-flex min-h-11 items-center text-small font-medium text-soft underline-offset-4 hover:text-pine hover:underline print:hidden'

function Choice({ show, children }: { show: Show; children: React.ReactNode }) {
  return (
    <Link
      from="/teaching"
      to="/teaching"
      // The search stays the same.
      search={({ q, book, speaker, year }) => ({ q, book, speaker, year, show })}
      replace
      resetScroll={false}
      className={linkClass}
    >
      {children}
    </Link>
  )
}
