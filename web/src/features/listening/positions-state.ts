import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'

/** Where this device stopped, by the teaching's uid, last listened first. */
export type Positions = ReadonlyMap<string, ListeningPosition>
