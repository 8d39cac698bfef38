import type { Elder } from '@fellowship/schema/elders/elders.schema'

/** What a screen knows of the elders. */
export type Elders =
  | { status: 'loading' }
  | { status: 'ready'; rows: readonly Elder[] }
  | { status: 'failed'; sentence: string }
