import { Undo2 } from 'lucide-react'
import type { ReactNode } from 'react'
import { shownMoment } from '../lib/shown-moment.ts'
import { Button } from './button.tsx'
import { Card } from './card.view.tsx'
import { EmptyState } from './empty-state.list.tsx'
import { Loaded } from './loaded.tsx'
import { Section } from './section.tsx'

interface BinProps<Row> {
  title: string
  description: string
  query: { data?: readonly Row[] | undefined; error: unknown; refetch: () => unknown }
  empty: string
  failed: string
  keyOf: (row: Row) => string | number
  children: (row: Row) => ReactNode
}

/** Deleted rows that can be restored: the states of loading, failure and emptiness, and its rows. */
export function Bin<Row>({ title, description, query, empty, failed, keyOf, children }: BinProps<Row>) {
  return (
    <Section title={title} description={description}>
      <Loaded query={query} failure={failed} height="h-24">
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState title={empty} />
          ) : (
            <ul className="grid gap-3">
              {rows.map((row) => (
                <li key={keyOf(row)}>{children(row)}</li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Section>
  )
}

interface BinRowProps {
  title: string
  about: string
  /** ISO moments. */
  deletedAt: string
  goneAt: string
  pending: boolean
  onRestore: () => void
}

export function BinRow({ title, about, deletedAt, goneAt, pending, onRestore }: BinRowProps) {
  return (
    <Card className="admin-box flex flex-wrap items-center gap-x-6 gap-y-3">
      <div className="min-w-0 flex-1 basis-64">
        <h3 className="text-xl wrap-anywhere">{title}</h3>
        <p className="text-soft">{about}</p>
        <p className="mt-1 text-small text-soft">
          Deleted on {shownMoment(deletedAt, 'day')}, permanently deleted on {shownMoment(goneAt, 'day')}
        </p>
      </div>
      <Button
        icon={Undo2}
        kind="secondary"
        aria-label={`Restore ${title}`}
        pending={pending}
        pendingLabel="Restoring..."
        onClick={onRestore}
      >
        Restore
      </Button>
    </Card>
  )
}
