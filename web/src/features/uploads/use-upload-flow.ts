import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useEffect } from 'react'
import { useStore } from '../../lib/lazy-store.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { beginUploads, send, uploadFlow } from './upload-runner.ts'

/**
 * The state of the upload form. `onAdded` is called for each recording that was, or may have been, added to the library.
 */
export function useUploadFlow(userId: number, onAdded: (teaching: Teaching | null) => void) {
  const flow = useStore(uploadFlow)
  useEffect(() => beginUploads(userId), [userId])
  useEffect(
    () =>
      pageQueues().onQueueEvent((event) => {
        if (event.about !== 'upload') return
        const { kind, job } = event.event
        if (kind === 'done' && !job.replace) onAdded(job.teaching ?? null)
        else if (kind === 'done' || kind === 'timeout') onAdded(null)
      }),
    [onAdded],
  )
  return { flow, send }
}
