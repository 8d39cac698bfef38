import type { Elder } from '@fellowship/schema/elders/elders.schema'
import { elderTexts } from '@fellowship/schema/elders/elders.texts'
import type { ReactNode } from 'react'
import { Button } from '../../ui/button.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { elderPlaceholders } from './elders.timings.ts'
import { ElderBlock, ElderCard } from './elder-card.tsx'
import { useElders } from './use-elders.ts'

/** The elders on Home, three to a row; refetched on mount and on window focus. */
export function ElderGrid() {
  return (
    <ElderList
      className="grid gap-5 sm:grid-cols-3 lg:gap-8"
      refetchOnFocus
      placeholder={
        <div className="flex gap-5 rounded-card border border-line bg-raised p-4 sm:flex-col sm:gap-0 sm:p-0">
          <Skeleton className="aspect-4/5 w-[min(7rem,35vw)] shrink-0 sm:w-full sm:rounded-b-none!" />
          <div className="grow sm:p-6">
            <Skeleton className="h-7 w-3/5" />
            <Skeleton className="mt-3 h-20 w-full" />
            <Skeleton className="mt-4 h-6 w-28" />
          </div>
        </div>
      }
      card={(elder) => <ElderCard elder={elder} />}
    />
  )
}

/** The elders on About, one below the other. */
export function ElderBlocks() {
  return (
    <ElderList
      className="grid gap-6 lg:gap-8"
      placeholder={
        <div className="grid gap-6 rounded-card border border-line bg-raised p-5 sm:grid-cols-[14rem_minmax(0,1fr)] sm:gap-8 sm:p-6 lg:grid-cols-[18rem_minmax(0,1fr)] lg:gap-12">
          <Skeleton className="aspect-4/5 w-full" />
          <div>
            <Skeleton className="h-8 w-2/5" />
            <Skeleton className="mt-2 h-6 w-1/5" />
            <Skeleton className="mt-5 h-32 w-full" />
          </div>
        </div>
      }
      card={(elder) => <ElderBlock elder={elder} />}
    />
  )
}

interface ElderListProps {
  className: string
  /** Rendered three times while the elders load. */
  placeholder: ReactNode
  card: (elder: Elder) => ReactNode
  refetchOnFocus?: boolean
}

function ElderList({ className, placeholder, card, refetchOnFocus = false }: ElderListProps) {
  const { elders, retry } = useElders({ refetchOnFocus })
  if (elders.status === 'failed') {
    return (
      <div role="alert" className="flex flex-wrap items-center gap-4">
        <p>{elders.sentence}</p>
        <Button kind="secondary" onClick={retry}>
          Try again
        </Button>
      </div>
    )
  }
  if (elders.status === 'loading') {
    return (
      <div className={className}>
        <output className="sr-only">Loading the elders</output>
        {Array.from({ length: elderPlaceholders }, (_, at) => (
          <div key={at} data-placeholder="">
            {placeholder}
          </div>
        ))}
      </div>
    )
  }
  if (elders.rows.length === 0) return <p className="text-lead text-soft">{elderTexts.none}</p>
  return (
    <ul className={className}>
      {elders.rows.map((elder) => (
        <li key={elder.uid}>{card(elder)}</li>
      ))}
    </ul>
  )
}
