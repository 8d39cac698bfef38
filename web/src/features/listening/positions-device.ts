import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'
import { liveQuery } from '@fellowship/sync/client/database/live-query'
import { notePosition, readPositions } from '@fellowship/sync/client/listening/listening.store'
import type { Positions } from './positions-state.ts'

/** Tells where this device stopped, now and after every change in any tab; resolves when it was told first. */
export function watchPositions(onChange: (positions: Positions) => void): Promise<void> {
  return new Promise((resolve) => {
    const tell = (positions: Positions) => {
      onChange(positions)
      resolve()
    }
    liveQuery(() => readPositions()).subscribe({
      next: (rows) => tell(new Map(rows.map((row) => [row.uid, row]))),
      error: () => tell(new Map()),
    })
  })
}

export async function note(uid: string, moment: ListeningMoment): Promise<void> {
  await notePosition(uid, moment)
}
