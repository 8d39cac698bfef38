import { audit } from '@fellowship/schema/audit/audit.contract'
import { auditLimits } from '@fellowship/schema/audit/audit.limits'
import { call } from '@fellowship/sync/call/call'
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query'
import { queryClient } from '../../lib/query-client.ts'

/** The filters of the log; '' matches everything. */
export interface AuditQuery {
  area: string
  actor: string
  q: string
}

/** The log, newest first, page by page. The previous answer stays on the screen until the next one arrives. */
export const useAuditLog = (filter: AuditQuery) =>
  useInfiniteQuery(
    {
      queryKey: [audit.list.path, filter] as const,
      queryFn: ({ pageParam, signal }) =>
        call(audit.list, {
          query: { ...chosen(filter), before: pageParam, limit: auditLimits.page },
          signal,
        }),
      initialPageParam: undefined as number | undefined,
      getNextPageParam: ({ lines, more }) => (more ? lines.at(-1)?.id : undefined),
      placeholderData: keepPreviousData,
    },
    queryClient,
  )

const chosen = ({ area, actor, q }: AuditQuery) => ({
  area: area || undefined,
  actor: actor || undefined,
  q: q.trim() || undefined,
})
