import { kinds, rowSchemas } from '@fellowship/schema/sync/sync.schema'

/**
 * The fields of every kind's rows in this build. A replica stored with another shape is replaced by a snapshot: adding
 * a column does not change revisions, so neither a delta nor the digest would reveal the missing field.
 */
export const replicaShape: string = kinds
  .map((kind) => `${kind}(${Object.keys(rowSchemas[kind].shape).sort().join()})`)
  .join()
