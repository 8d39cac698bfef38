import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useEffect, useState } from 'react'
import { holdPage } from '../../lib/busy.ts'
import { noUpload } from './upload-flow.ts'
import { runUploads } from './upload-runner.ts'

/**
 * The upload flow as a component holds it; `onAdded` is taken once, at the start. Leaving the page while bytes travel
 * asks first.
 */
export function useUploadFlow(onAdded: (teaching: Teaching | null) => void) {
  const [flow, setFlow] = useState(noUpload)
  const [send] = useState(() => runUploads({ onFlow: setFlow, onAdded }))
  const begun = flow.step !== 'empty'
  const uploading = flow.step === 'uploading'
  useEffect(() => (begun ? holdPage() : undefined), [begun])
  useEffect(() => {
    if (!uploading) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [uploading])
  return { flow, send }
}
