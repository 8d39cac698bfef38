import type { ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { ListeningChange, ListeningEvent, Stamp } from '@fellowship/schema/listening/listening.schema'
import { mergeMarks, mergeNotes, mergePositions, mergeUpNext } from './listening-merge.ts'

/**
 * Merges two states of one row: it gives the same whichever comes first, however they are grouped, and however often one
 * is met again. Both have the same kind and key.
 */
export function mergeChanges(a: ListeningChange, b: ListeningChange): ListeningChange {
  if (a.kind === 'position' && b.kind === 'position') {
    const { earlier, ...place } = mergePositions(a.row, b.row)
    return { kind: 'position', row: { uid: a.row.uid, ...place, earlier: [...earlier] } }
  }
  if (a.kind === 'marks' && b.kind === 'marks')
    return { kind: 'marks', row: { uid: a.row.uid, ...mergeMarks(a.row, b.row) } }
  if (a.kind === 'note' && b.kind === 'note') return { kind: 'note', row: mergeNotes(a.row, b.row) }
  if (a.kind === 'upNext' && b.kind === 'upNext') return { kind: 'upNext', row: mergeUpNext(a.row, b.row) }
  throw new Error(`A ${a.kind} is not merged with a ${b.kind}`)
}

/** Whether a listening continues from the known place, so that it replaces that place instead of standing beside it. */
export const continuesFrom = (known: ListeningChange, change: ListeningChange): boolean =>
  known.kind === 'position' &&
  change.kind === 'position' &&
  change.after === known.row.listenedAt &&
  change.row.listenedAt >= known.row.listenedAt

/** How far two stamps of one place may lie apart: a repeated request has another latency. */
const repeatMs = 60_000

/**
 * Stamps an event by the server's clock: an age counts back from now, and no stamp is later than now or before the epoch. A
 * place that the server holds already keeps its stamp, or a repeated request would leave an earlier place behind.
 *
 * @param now epoch milliseconds of the server
 */
export function stampEvent(
  event: ListeningEvent,
  known: ListeningChange | undefined,
  now: number,
): ListeningChange {
  const places = known?.kind === 'position' ? [known.row, ...known.row.earlier] : []
  const stamped = mapStamps(event, (stamp, second) => {
    if (typeof stamp === 'number') return Math.min(stamp, now)
    const at = Math.min(now, Math.max(0, now - stamp.age))
    const isHeld = ({ seconds, listenedAt }: Place) =>
      seconds === second && Math.abs(listenedAt - at) <= repeatMs
    return places.find(isHeld)?.listenedAt ?? at
  }) as ListeningChange
  return stamped.kind === 'position' ? { ...stamped, row: newestFirst(stamped.row) } : stamped
}

type Place = PositionRow['earlier'][number]

/** A device cannot order its own places and those that the server has stamped. */
function newestFirst({ uid, duration, earlier, ...place }: PositionRow): PositionRow {
  const places = [place, ...earlier].map((each) => ({ ...each, duration, earlier: [] }))
  const merged = places.reduce<ListeningPosition>(mergePositions, places[0]!)
  return { uid, ...merged, earlier: [...merged.earlier] }
}

type PositionRow = Extract<ListeningChange, { kind: 'position' }>['row']

/** The row with each of its stamps replaced; `second` is that of the place, if it is the stamp of one. */
export function mapStamps(
  change: ListeningEvent,
  replace: (stamp: Stamp, second?: number) => Stamp,
): ListeningEvent {
  switch (change.kind) {
    case 'position': {
      const { row } = change
      const replaced = <Place extends { seconds: number; listenedAt: Stamp }>(place: Place) => ({
        ...place,
        listenedAt: replace(place.listenedAt, place.seconds),
      })
      return { ...change, row: { ...replaced(row), earlier: row.earlier.map(replaced) } }
    }
    case 'marks': {
      const { uid, favourite, heard } = change.row
      const row = {
        uid,
        ...(favourite && { favourite: { ...favourite, at: replace(favourite.at) } }),
        ...(heard && { heard: { ...heard, at: replace(heard.at) } }),
      }
      return { kind: 'marks', row }
    }
    case 'note': {
      const { row } = change
      const stamps = { createdAt: replace(row.createdAt), changedAt: replace(row.changedAt) }
      return { kind: 'note', row: { ...row, ...stamps } }
    }
    case 'upNext':
      return { kind: 'upNext', row: { ...change.row, changedAt: replace(change.row.changedAt) } }
  }
}

/** Whether two rows are equal; the order of their members, which depends on the writer of a row, does not count. */
export const isSameRow = (a: unknown, b: unknown): boolean => inOrder(a) === inOrder(b)

const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
