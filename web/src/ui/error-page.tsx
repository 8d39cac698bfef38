import { useEffect } from 'react'
import { markHydrated } from '../boot/hydrated.ts'
import { Button } from './button.tsx'

/** Replaces a page that threw: what to do, and the error message for whoever helps. */
export function ErrorPage({ error, reset }: { error: unknown; reset?: () => void }) {
  useEffect(markHydrated, [])
  return (
    <div className="page flex min-h-[60vh] flex-col items-start justify-center gap-5">
      <h1 className="text-title">Something went wrong</h1>
      <p className="measure text-soft">
        This page could not be shown. Try again; if that does not help, reload the site. Nothing you saved is
        lost.
      </p>
      <div className="flex flex-wrap gap-3">
        {reset && <Button onClick={reset}>Try again</Button>}
        <Button kind="secondary" onClick={() => location.reload()}>
          Reload
        </Button>
      </div>
      <details className="text-small text-soft">
        <summary className="min-h-6">Details</summary>
        <p className="mt-2 break-words">{error instanceof Error ? error.message : String(error)}</p>
      </details>
    </div>
  )
}
