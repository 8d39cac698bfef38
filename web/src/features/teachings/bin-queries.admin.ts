import { bin, type BinnedTeaching } from '@fellowship/schema/teachings/bin.contract'
import { binTexts } from '@fellowship/schema/teachings/bin.texts'
import { withSpaces } from '@fellowship/schema/teachings/shown-title'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'

/** Teachings that were deleted within the last 30 days. */
export const useBinnedTeachings = adminQuery(bin.list)

export const useRestoreTeaching = adminMutation({
  call: ({ id }: BinnedTeaching) => call(bin.restore, { params: { id } }),
  success: ({ title }) => ({ title: binTexts.restored, description: withSpaces(title) }),
  failure: binTexts.restoreFailed,
  invalidates: [bin.list],
})
