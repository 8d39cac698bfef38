import { usePageTitle } from '../lib/page-title.view.ts'
import { Skeleton } from '../ui/skeleton.tsx'

/** Shown until the content of a page is read from this device. */
export function PageSkeleton({ label }: { label: string }) {
  usePageTitle(label)
  return (
    <div className="page pt-6 pb-20 lg:pt-12 lg:pb-28">
      <output className="sr-only">Loading</output>
      <Skeleton className="h-9 w-4/5 max-w-lg" />
      <Skeleton className="mt-3 h-6 w-3/5 max-w-sm" />
    </div>
  )
}
