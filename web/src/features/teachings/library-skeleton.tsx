import { teachingPage } from '@fellowship/schema/teachings/teachings.limits'
import { Skeleton } from '../../ui/skeleton.tsx'

/** Placeholders for the first page of rows. */
export function LibrarySkeleton() {
  return (
    <div>
      <output className="sr-only">Loading the teaching</output>
      {Array.from({ length: teachingPage.initial }, (_, row) => (
        <div
          key={row}
          aria-hidden="true"
          className="flex items-start gap-4 border-b border-line px-4 py-5 last:border-b-0 sm:px-6"
        >
          <Skeleton className="size-12 shrink-0 rounded-full!" />
          <div className="grow">
            <Skeleton className="h-7 w-3/5" />
            <Skeleton className="mt-2 h-5 w-4/5 sm:w-1/2" />
            <Skeleton className="mt-1 h-5 w-3/5 sm:hidden" />
            <Skeleton className="mt-1 h-5 w-2/3 sm:hidden" />
          </div>
        </div>
      ))}
    </div>
  )
}
