import type { ListeningMoment } from '@fellowship/schema/listening/listening-position'
import { watch } from '@fellowship/sync/client/engine/live'
import { notePosition, readPositions } from '@fellowship/sync/client/listening/listening.store'
import { takeLeft } from '../../lib/left-moments.ts'
import type { Positions } from './positions-state.ts'

/**
 * Reports the saved positions, now and after every change in any tab; resolves after the first report, which is empty if
 * they cannot be read yet.
 */
export function watchPositions(onChange: (positions: Positions) => void): Promise<void> {
  return new Promise((resolve) => {
    let isReported = false
    const report = (positions: Positions) => {
      isReported = true
      onChange(positions)
      resolve()
    }
    const begin = () =>
      watch(
        () => readPositions(),
        (rows) => report(new Map(rows.map((row) => [row.uid, row]))),
        () => !isReported && report(new Map()),
      )
    void writeLeft().then(begin)
  })
}

/** Writes the positions left by an earlier page, before the device shows another person's listening. */
export const writeLeft = (): Promise<void> => takeLeft(note).catch(() => undefined)

export async function note(uid: string, moment: ListeningMoment): Promise<void> {
  await notePosition(uid, moment)
}
