import { Button } from './button.tsx'

/** Shows that something could not be loaded, with a button to retry. */
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
