import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'

/** The saved positions by the teaching's uid, last listened first. */
export type Positions = ReadonlyMap<string, ListeningPosition>
