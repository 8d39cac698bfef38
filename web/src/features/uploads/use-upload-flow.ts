import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { useEffect } from 'react'
import { holdPage } from '../../lib/busy.ts'
import { useStore } from '../../lib/lazy-store.ts'
import { pageQueues } from '../sync/page-queues.ts'
import { beginUploads, send, uploadFlow } from './upload-runner.ts'

/**
 * The upload flow as the panel holds it. `onAdded` hears of each recording of this person that came to the library, or
 * may have come. What is not in the queue yet holds the page against updates.
 */
export function useUploadFlow(userId: number, onAdded: (teaching: Teaching | null) => void) {
  const flow = useStore(uploadFlow)
  useEffect(() => beginUploads(userId), [userId])
  const begun = flow.drafts.length > 0
  useEffect(() => (begun ? holdPage() : undefined), [begun])
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
