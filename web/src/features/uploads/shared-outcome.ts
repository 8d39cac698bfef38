import type { SharedOutcome } from '@fellowship/sync/client/uploads/upload-share-address'
import type { Notice } from '@fellowship/schema/notice'
import { problems } from '@fellowship/schema/problem'
import { uploadQueueTexts } from '@fellowship/schema/uploads/upload-queue.texts'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { showToast } from '../../ui/toast.ts'

const notices: Record<SharedOutcome, Notice> = {
  'no-audio': uploadTexts.invalidFileType,
  'too-large': uploadTexts.failed(problems.too_large.sentence),
  'not-kept': uploadTexts.failed(uploadQueueTexts.notKept),
  'too-many': uploadTexts.failed(uploadQueueTexts.tooManyShared),
  'no-room': uploadTexts.failed(uploadQueueTexts.deviceFull),
}

/**
 * Shows why a shared file was not queued, then removes the reason from the address, so that a reload does not show it
 * again.
 */
export function toastSharedOutcome(outcome: SharedOutcome | undefined): void {
  if (!outcome) return
  showToast({ ...notices[outcome], kind: 'destructive' })
  const address = new URL(location.href)
  if (!address.searchParams.has('shared')) return
  address.searchParams.delete('shared')
  history.replaceState(history.state, '', address)
}
