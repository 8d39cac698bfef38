import { passages } from '@fellowship/schema/passages/passages.contract'
import type { Context } from '../../context.ts'
import { keptByRevision } from '../../db/kept-by-revision.ts'
import { type RawRoute, keptJson, keptRoute } from '../../http/deliver.ts'
import { listPassages } from './passages.ts'

/** The route of the list. */
export function passagesRoute(context: Context): RawRoute {
  const list = keptByRevision(context, async () => keptJson(await listPassages(context)))
  return keptRoute(context, passages.list, list)
}
