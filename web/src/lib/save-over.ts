import { CallError } from '@fellowship/sync/call/call-error'
import { isSameWord } from './zod.form.ts'

interface Revised {
  readonly rev: number
}

/**
 * Saves over a later revision too, unless that changed the same fields.
 *
 * @param base the row that the form opened with, or some of its fields and its revision
 * @param send sends the changes, made for this row
 * @param fieldsOf the fields of a row that changes name; without it the row itself
 */
export async function saveOver<
  Row extends Revised,
  Base extends Partial<Row> & Revised,
  Changes extends object,
>(
  base: Base,
  changes: Changes,
  send: (over: Base | Row) => Promise<Row>,
  fieldsOf: (row: Base | Row) => object = (row) => row,
): Promise<Row> {
  for (let over: Base | Row = base; ;) {
    try {
      return await send(over)
    } catch (error) {
      const current = currentOf<Row>(error)
      if (!current || current.rev <= over.rev) throw error
      if (conflictingFields(fieldsOf(base), changes, fieldsOf(current)).length > 0) throw error
      over = current
    }
  }
}

/** The row as it is now, from the answer that refused a change because of it. */
export function currentOf<Row>(error: unknown): Row | undefined {
  if (!(error instanceof CallError) || error.code !== 'revision_conflict') return undefined
  return error.body['current'] as Row
}

/** The changed fields that another administrator has changed otherwise. */
export function conflictingFields<Changes extends object>(
  base: object,
  changes: Changes,
  current: object,
): (keyof Changes)[] {
  const [was, is] = [base, current] as Record<keyof Changes, unknown>[]
  return (Object.keys(changes) as (keyof Changes)[]).filter(
    (name) => !isSameWord(is![name], was![name]) && !isSameWord(is![name], changes[name]),
  )
}
