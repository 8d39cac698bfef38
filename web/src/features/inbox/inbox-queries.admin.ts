import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import type { InboxItem } from '@fellowship/schema/inbox/inbox.schema'
import { inboxTexts as texts } from '@fellowship/schema/inbox/inbox.texts'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { call } from '@fellowship/sync/call/call'
import { adminMutation, adminQuery } from '../../lib/admin-query.ts'

/** Recordings that arrived but could not be published automatically. */
export const useInbox = adminQuery(inbox.list, { select: ({ items }) => items, pollMs: 10_000 })

export const usePublishInbox = adminMutation({
  call: ({ item, fields }: { item: InboxItem; fields: EnteredFields }) =>
    call(inbox.publish, { params: { id: item.id }, body: fields }),
  success: ({ message }) => ({ title: message }),
  failure: texts.publishFailed,
  invalidates: [inbox.list],
  pendingUntilRefreshed: true,
})

export const useRemoveInbox = adminMutation({
  call: ({ id }: InboxItem) => call(inbox.remove, { params: { id } }),
  success: ({ message }) => ({ title: message }),
  failure: texts.deleteFailed,
  invalidates: [inbox.list],
  pendingUntilRefreshed: true,
})
