import { sync } from '@fellowship/schema/sync/sync.contract'
import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import { type SyncPage } from '@fellowship/schema/sync/sync.schema'
import { CallError, NetworkError } from '../../call/call-error.ts'
import { addressOf, type Transport } from '../../call/call.ts'
import { pageTag } from '../../protocol/page-tag.ts'
import { textOf, withTimeLimit } from '../engine/request.ts'

/** One page, or 'unchanged' if nothing changed since the cursor. */
export async function fetchPage(
  transport: Transport,
  since: string | undefined,
  limit: number | undefined,
  { conditional = true } = {},
): Promise<SyncPage | 'unchanged'> {
  const query = { ...(since && { since }), ...(limit && { limit }), schema: clientSchema }
  const headers: Record<string, string> = { accept: 'application/json' }
  const tag = since && conditional ? pageTag(since, since, clientSchema) : undefined
  if (tag !== undefined) headers['if-none-match'] = tag
  try {
    return await withTimeLimit(async ({ signal, touch }) => {
      const init = { headers, cache: 'no-store', credentials: 'same-origin', signal } as const
      const response = await transport.fetch(transport.base + addressOf(sync.pull, { query }), init)
      // Unasked it is a proxy's: a device that has nothing would count as up to date.
      if (response.status === 304 && tag !== undefined) return 'unchanged'
      const text = await textOf(response, touch)
      if (!response.ok) throw new CallError(response.status, text, response)
      return sync.pull.answer.parse(JSON.parse(text))
    })
  } catch (error) {
    throw error instanceof CallError || error instanceof NetworkError ? error : new NetworkError(error)
  }
}
