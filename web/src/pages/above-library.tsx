import { OutboxStatus } from '../features/sync/outbox-status.tsx'
import { DraftsToCheck } from '../features/transcripts/drafts-to-check.tsx'

/** What waits for this person: changes that were not sent, texts to check. */
export function AboveLibrary({ userId }: { userId: number | undefined }) {
  return (
    <>
      <OutboxStatus userId={userId} />
      {userId !== undefined && <DraftsToCheck />}
    </>
  )
}
