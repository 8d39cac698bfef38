import type { ListeningMoment } from '@fellowship/schema/audio/listening-position'
import { liveQuery } from '@fellowship/sync/client/database'
import { notePosition, readPositions } from '@fellowship/sync/client/positions.store'
import type { Positions } from './positions.ts'

/** Tells where this device stopped, now and after every change in any tab. */
export function watchPositions(onChange: (positions: Positions) => void): void {
  liveQuery(() => readPositions()).subscribe({
    next: (rows) => onChange(new Map(rows.map((row) => [row.uid, row]))),
    error: () => onChange(new Map()),
  })
}

export async function note(uid: string, moment: ListeningMoment): Promise<void> {
  await notePosition(uid, moment)
}
