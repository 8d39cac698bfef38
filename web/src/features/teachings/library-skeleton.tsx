import { teachingPage } from '@fellowship/schema/teachings/teachings.limits'
import { Skeleton } from '../../ui/skeleton.tsx'

export function LibrarySkeleton() {
  return (
    <div>
      <output className="sr-only">Loading the teaching</output>
      {Array.from({ length: teachingPage.initial }, (_, row) => (
        <div
          key={row}
          aria-hidden="true"
          className="row grid items-start border-b border-line last:border-b-0"
        >
          <Skeleton className="mr-3 size-[min(2.75rem,16vw)] rounded-full! sm:mr-4 sm:size-12" />
          <Skeleton className="h-7 w-3/5 self-center" />
          <div className="col-[1/-1] sm:col-[2/-1]">
            <Skeleton className="mt-1 h-6 w-4/5 sm:w-1/2" />
          </div>
        </div>
      ))}
    </div>
  )
}
