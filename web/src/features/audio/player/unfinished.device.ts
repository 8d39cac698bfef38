import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { watch } from '@fellowship/sync/client/engine/live'
import { readMyListening } from '@fellowship/sync/client/listening/listening.store'

/** The teaching that was heard last and not to its end, and its position. */
export interface Unfinished {
  teaching: Teaching
  position: ListeningPosition
}

/** Reports it now and after every change; null if there is none. */
export const watchUnfinished = (onChange: (unfinished: Unfinished | null) => void): (() => void) =>
  watch(readUnfinished, onChange)

const readUnfinished = async (): Promise<Unfinished | null> => (await readMyListening()).unfinished[0] ?? null
