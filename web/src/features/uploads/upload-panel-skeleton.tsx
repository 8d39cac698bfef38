import { Card } from '../../ui/card.view.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'

/** Placeholder for the upload panel while its chunk loads. */
export function UploadPanelSkeleton() {
  return (
    <div data-upload="" className="max-lg:mb-6">
      <Card className="p-[min(1.5rem,7.5vw)] max-sm:mx-[max(-.75rem,-4vw)]">
        <Skeleton className="h-8 w-1/2" />
        <Skeleton className="mt-5 h-40" />
        <Skeleton className="mt-5 h-11" />
      </Card>
    </div>
  )
}
