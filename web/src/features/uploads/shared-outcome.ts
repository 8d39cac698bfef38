import type { SharedOutcome } from '@fellowship/sync/client/upload-shared'
import { problems } from '@fellowship/schema/problem'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { showToast } from '../../ui/toast.ts'

/** What came from another app was no recording, or one that is too large, or this browser cannot keep it. */
export function tellShared(outcome: SharedOutcome): void {
  if (outcome === 'no-audio') showToast({ ...uploadTexts.invalidFileType, kind: 'destructive' })
  if (outcome === 'not-kept')
    showToast({ ...uploadTexts.failed(uploadQueueTexts.notKept), kind: 'destructive' })
  if (outcome === 'too-many')
    showToast({ ...uploadTexts.failed(uploadQueueTexts.tooManyShared), kind: 'destructive' })
  if (outcome === 'no-room')
    showToast({ ...uploadTexts.failed(uploadQueueTexts.deviceFull), kind: 'destructive' })
  if (outcome === 'too-large')
    showToast({ ...uploadTexts.failed(problems.too_large.sentence), kind: 'destructive' })
}
