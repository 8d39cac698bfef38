import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { adminMutation, runAdminMutation } from './admin-query.ts'

interface BinMutations<Row> {
  remove: (row: Row) => Promise<unknown>
  restore: (row: Pick<Row, 'id' & keyof Row>) => Promise<Row>
  texts: Readonly<Record<'deleted' | 'deleteFailed' | 'restored' | 'restoreFailed', string>>
  /** Names a row in the toast of its return. */
  titleOf: (row: Row) => string
  /** The lists of live and of deleted rows. */
  invalidates: readonly AnyEndpoint[]
  /** After a deletion and after a return, before the toast. */
  onSuccess: () => void
}

/**
 * The hooks that delete a row into its bin and restore one from there. The toast of a deletion restores the row too, so that a
 * slip of the finger needs no look for the bin.
 */
export function binMutations<Row extends { id: number }>(of: BinMutations<Row>) {
  const { texts, invalidates, onSuccess } = of
  const restore = {
    call: of.restore,
    success: (row: Row) => ({ title: texts.restored, description: of.titleOf(row) }),
    failure: texts.restoreFailed,
    invalidates,
    onSuccess,
  }
  return {
    useRemove: adminMutation({
      call: of.remove,
      success: (_, row: Row) => ({
        title: texts.deleted,
        action: { label: 'Undo', onPress: () => runAdminMutation(restore, row) },
      }),
      failure: texts.deleteFailed,
      invalidates,
      onSuccess,
    }),
    useRestore: adminMutation(restore),
  }
}
