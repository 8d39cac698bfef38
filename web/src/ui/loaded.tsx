import type { ReactNode } from 'react'
import { classNames } from '../lib/class-names.ts'
import { Button } from './button.tsx'
import { Skeleton } from './skeleton.tsx'

interface LoadedProps<Data> {
  query: { data?: Data | undefined; error: unknown; refetch: () => unknown }
  /** The sentence shown if it cannot be loaded. */
  failure: string
  /** The height of the placeholder while it loads. */
  height: string
  children: (data: Data) => ReactNode
}

/** Shows the answer of a query: a placeholder until it arrives, or a failure. If a later request fails, the answer stays. */
export function Loaded<Data>({ query, failure, height, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query
  if (data !== undefined) return children(data)
  if (error) return <LoadFailure sentence={failure} onRetry={() => void refetch()} />
  return <Skeleton className={classNames(height, 'w-full')} />
}

export function LoadFailure({ sentence, onRetry }: { sentence: string; onRetry: () => void }) {
  return (
    <div role="alert" className="flex flex-wrap items-center gap-4">
      <p>{sentence}</p>
      <Button kind="secondary" onClick={onRetry}>
        Try again
      </Button>
    </div>
  )
}
