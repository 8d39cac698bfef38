import { type ErrorComponentProps, useRouter } from '@tanstack/react-router'
import { useCallback, useEffect } from 'react'
import { markHydrated } from '../boot/phases.ts'
import { listen } from '../lib/listen.ts'
import { isMissingPart } from '../lib/missing-part.ts'
import { useOnline } from '../lib/use-online.ts'
import { Button } from './button.tsx'

/**
 * Replaces a page that threw: the next step, and the error message for support. A page whose code could not be fetched
 * without a connection is tried again when there is one.
 */
export function ErrorPage({ error }: ErrorComponentProps) {
  const router = useRouter()
  const reset = useCallback(() => void router.invalidate(), [router])
  const online = useOnline()
  const isMissing = isMissingPart(error)
  useEffect(markHydrated, [])
  useEffect(() => (isMissing ? listen(window, ['online'], reset) : undefined), [isMissing, reset])
  const isOffline = isMissing && !online
  const { title, words } = isOffline ? noConnection : wentWrong
  return (
    <div className="page flex min-h-[60vh] flex-col items-start justify-center gap-5">
      <h1 className="text-title">{title}</h1>
      <p className="measure text-soft">{words}</p>
      <div className="flex flex-wrap gap-3">
        <Button onClick={reset}>Try again</Button>
        {!isOffline && (
          <Button kind="secondary" onClick={() => location.reload()}>
            Reload
          </Button>
        )}
      </div>
      <details className="text-small text-soft">
        <summary className="min-h-6">Details</summary>
        <p className="mt-2 break-words">{error instanceof Error ? error.message : String(error)}</p>
      </details>
    </div>
  )
}

const noConnection = {
  title: 'No connection',
  words:
    'This page is not on this device yet. It opens by itself once there is a connection. Nothing you saved is lost.',
}

const wentWrong = {
  title: 'Something went wrong',
  words:
    'This page could not be shown. Try again; if that does not help, reload the site. Nothing you saved is lost.',
}
