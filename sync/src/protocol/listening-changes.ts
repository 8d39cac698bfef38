import type { ListeningChange } from '@fellowship/schema/listening/listening.schema'
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

/** Whether a listening goes on from the place that is known, so that it takes its place and does not stand beside it. */
export const goesOn = (known: ListeningChange, change: ListeningChange): boolean =>
  known.kind === 'position' &&
  change.kind === 'position' &&
  change.after === known.row.listenedAt &&
  change.row.listenedAt >= known.row.listenedAt

/** The change with each of its moments, epoch milliseconds, replaced. */
export function withMoments(change: ListeningChange, moment: (at: number) => number): ListeningChange {
  switch (change.kind) {
    case 'position': {
      const { row } = change
      const earlier = row.earlier.map((place) => ({ ...place, listenedAt: moment(place.listenedAt) }))
      return { ...change, row: { ...row, listenedAt: moment(row.listenedAt), earlier } }
    }
    case 'marks': {
      const { uid, favourite, heard } = change.row
      const row = {
        uid,
        ...(favourite && { favourite: { ...favourite, at: moment(favourite.at) } }),
        ...(heard && { heard: { ...heard, at: moment(heard.at) } }),
      }
      return { kind: 'marks', row }
    }
    case 'note': {
      const { row } = change
      const moments = { createdAt: moment(row.createdAt), changedAt: moment(row.changedAt) }
      return { kind: 'note', row: { ...row, ...moments } }
    }
    case 'upNext':
      return { kind: 'upNext', row: { ...change.row, changedAt: moment(change.row.changedAt) } }
  }
}

/** Whether two rows say the same; their members may stand in any order. */
export const isSameRow = (a: ListeningChange, b: ListeningChange): boolean => inOrder(a) === inOrder(b)

const inOrder = (value: unknown): string =>
  JSON.stringify(value, (_, member: unknown) =>
    member && typeof member === 'object' && !Array.isArray(member)
      ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1)))
      : member,
  )
