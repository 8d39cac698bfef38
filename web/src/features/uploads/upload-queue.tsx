import { uploadQueueTexts as texts } from '@fellowship/schema/uploads/upload-queue.texts'
import type { UploadJob as Job } from '@fellowship/sync/client/database/upload-database'
import { useDeviceSync } from '../sync/use-device-sync.ts'
import { UploadJob } from './upload-job.tsx'
import { useOnline } from '../../lib/use-online.ts'

/** The upload jobs of this device, from the first copied byte to the library. */
export function UploadQueue({ jobs, userId }: { jobs: readonly Job[]; userId: number }) {
  const isOnline = useOnline()
  const inMemory = useDeviceSync()?.inMemory === true
  if (jobs.length === 0) return null
  const isCopying = jobs.some(({ state }) => state === 'copying')
  const isUnfinished = jobs.some(({ state }) => state !== 'done' && state !== 'lost')
  return (
    <section aria-label="On this device" className="mt-4 border-b border-line pb-5">
      <p className="font-serif text-lg">On this device</p>
      <output className="block text-small text-soft">
        {inMemory
          ? isUnfinished && texts.keepOpen
          : isCopying
            ? 'Keep this page open until everything is saved.'
            : isUnfinished && texts.mayClose}
      </output>
      <ul className="mt-4 flex flex-col gap-3">
        {jobs.map((job) => (
          <UploadJob key={job.id} job={job} isOnline={isOnline} userId={userId} />
        ))}
      </ul>
    </section>
  )
}
