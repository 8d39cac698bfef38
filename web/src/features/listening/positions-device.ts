import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'
import { liveQuery } from '@fellowship/sync/client/database/live-query'
import { notePosition, readPositions } from '@fellowship/sync/client/listening/listening.store'
import { takeLeft } from '../../lib/left-moments.ts'
import type { Positions } from './positions-state.ts'

/** Reports the saved positions, now and after every change in any tab; resolves after the first report. */
export function watchPositions(onChange: (positions: Positions) => void): Promise<void> {
  return new Promise((resolve) => {
    const report = (positions: Positions) => {
      onChange(positions)
      resolve()
    }
    const watch = () =>
      liveQuery(() => readPositions()).subscribe({
        next: (rows) => report(new Map(rows.map((row) => [row.uid, row]))),
        error: () => report(new Map()),
      })
    void writeLeft().then(watch)
  })
}

/** Writes what an earlier page left, before it could be another person's listening that the device shows. */
export const writeLeft = (): Promise<void> => takeLeft(note).catch(() => undefined)

export async function note(uid: string, moment: ListeningMoment): Promise<void> {
  await notePosition(uid, moment)
}
