import { inbox } from '@fellowship/schema/inbox/inbox.contract'
import type { InboxItem } from '@fellowship/schema/inbox/inbox.schema'
import { inboxTexts as texts } from '@fellowship/schema/inbox/inbox.texts'
import type { EnteredFields } from '@fellowship/schema/uploads/uploads.schema'
import { call } from '@fellowship/sync/call/call'
import { sentenceOfError } from '@fellowship/sync/call/call-error'
import { useMutation, useQuery } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'
import { isUnauthorized } from '../../lib/unauthorized.ts'
import { sftpStatusPollMs } from '../../ui/timings.ts'
import { showToast } from '../../ui/toast.ts'

const queryKey = [inbox.list.path] as const

/** Recordings that wait for a hand. */
export const useInbox = () =>
  useQuery(
    {
      queryKey,
      queryFn: ({ signal }) => call(inbox.list, { signal }).then(({ items }) => items),
      refetchInterval: sftpStatusPollMs,
      networkMode: 'always',
    },
    queryClient,
  )

export const usePublishInbox = () =>
  useMutation(
    {
      mutationFn: ({ item, fields }: { item: InboxItem; fields: EnteredFields }) =>
        call(inbox.publish, { params: { id: item.id }, body: fields }),
      onSuccess: ({ message }) => showToast({ title: message }),
      onError: (error) => failed(texts.publishFailed, error),
      onSettled: () => queryClient.invalidateQueries({ queryKey }),
    },
    queryClient,
  )

export const useRemoveInbox = () =>
  useMutation(
    {
      mutationFn: ({ id }: InboxItem) => call(inbox.remove, { params: { id } }),
      onSuccess: ({ message }) => showToast({ title: message }),
      onError: (error) => failed(texts.deleteFailed, error),
      onSettled: () => queryClient.invalidateQueries({ queryKey }),
    },
    queryClient,
  )

function failed(title: string, error: unknown): void {
  if (!isUnauthorized(error)) showToast({ title, description: sentenceOfError(error), kind: 'destructive' })
}
