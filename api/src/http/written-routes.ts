import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import type { Context } from '../context.ts'
import type { WrittenRows } from '../db/written-rows.ts'
import { serve, type App } from './serve.ts'

type Changes = Readonly<Record<'create' | 'update' | 'remove' | 'bin' | 'restore', AnyEndpoint>>

/** Mounts the calls that change rows which administrators write, and those of their bin. */
export function mountWritten<Row extends { id: number; uid: string; rev: number }, Words extends object>(
  app: App,
  context: Context,
  calls: Changes,
  rows: WrittenRows<Row, Words>,
): void {
  const idOf = (params: unknown) => (params as { id: number }).id
  serve(app, context, calls.create, ({ body, actor }) => rows.create(context, body as Words, actor))
  serve(app, context, calls.update, ({ params, body, actor }) =>
    rows.change(context, idOf(params), body as Parameters<WrittenRows<Row, Words>['change']>[2], actor),
  )
  serve(app, context, calls.remove, async ({ params, query, actor }) => {
    await rows.remove(context, idOf(params), (query as { baseRev?: number }).baseRev, actor)
    return { success: true as const }
  })
  serve(app, context, calls.bin, () => rows.binned(context.sql))
  serve(app, context, calls.restore, ({ params, actor }) => rows.restore(context, idOf(params), actor))
}
