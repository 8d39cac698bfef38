import type { Elder } from '@fellowship/schema/elders/elders.schema'

/** The elders as a screen shows them: loading, their rows, or the reason why there are none. */
export type Elders =
  | { status: 'loading' }
  | { status: 'ready'; rows: readonly Elder[] }
  | { status: 'failed'; sentence: string }
