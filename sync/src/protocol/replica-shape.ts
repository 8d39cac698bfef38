import { kinds, rowSchemas } from '@fellowship/schema/sync/sync.schema'

/**
 * The members of every kind's rows, as this build knows them. A device that stored its rows under another shape asks
 * for a snapshot: revisions do not move when a column is added, so no delta and no digest would ever bring it.
 */
export const replicaShape: string = kinds
  .map((kind) => `${kind}(${Object.keys(rowSchemas[kind].shape).sort().join()})`)
  .join()
