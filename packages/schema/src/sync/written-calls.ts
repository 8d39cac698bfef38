import { z } from 'zod'
import { endpoint, idParam } from '../endpoint.ts'

/** A deleted row that can still be restored. ISO moments. */
export type Binned<Row> = Row & { deletedAt: string; goneAt: string }

/** How long a deleted row can be restored. */
export const binDays = 30

/**
 * The calls that list the deleted rows of a kind and restore one.
 *
 * @param name of the kind in paths, such as 'events'
 */
export const binCalls = <Shape extends z.ZodRawShape>(name: string, row: z.ZodObject<Shape>) => ({
  bin: endpoint({
    method: 'GET',
    path: `/api/admin/bin/${name}`,
    access: 'admin',
    changes: false,
    summary: `Deleted ${name} that can still be restored, the last deleted first.`,
    answer: z.array(row.extend({ deletedAt: z.string(), goneAt: z.string() })),
  }),
  restore: endpoint({
    method: 'POST',
    path: `/api/admin/bin/${name}/:id/restore`,
    access: 'admin',
    changes: true,
    summary: `Restores one of the deleted ${name}.`,
    params: idParam,
    answer: row,
  }),
})
