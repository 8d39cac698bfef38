import { problems } from '@fellowship/schema/problem'
import { uploadTexts } from '@fellowship/schema/uploads/uploads.texts'
import { showToast } from '../../ui/toast.ts'

/** What came from another app was no recording, or one that is too large. */
export function tellShared(outcome: 'no-audio' | 'too-large' | undefined): void {
  if (outcome === 'no-audio') showToast({ ...uploadTexts.invalidFileType, kind: 'destructive' })
  if (outcome === 'too-large')
    showToast({ ...uploadTexts.failed(problems.too_large.sentence), kind: 'destructive' })
}
