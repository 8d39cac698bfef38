import type { ListeningMarks, MarkChoice } from '@fellowship/schema/listening/listening-marks'
import type { ListeningNote } from '@fellowship/schema/listening/listening-note'
import { earlierKept, type ListeningPosition } from '@fellowship/schema/listening/listening-position'
import type { UpNextEntry } from './up-next.ts'

/*
 * How two devices' rows of one person's listening are merged. Each rule gives the same whichever comes first, however
 * they are grouped, and however often one is met again.
 */

/** The newest listening; the other one stays as an earlier place. */
export function mergePositions(a: ListeningPosition, b: ListeningPosition): ListeningPosition {
  const newest = (newestFirst(a, b) || b.duration - a.duration) <= 0 ? a : b
  const left = [a, b].filter((each) => newestFirst(each, newest) !== 0)
  return { ...newest, earlier: newestPlaces([...left, ...a.earlier, ...b.earlier]) }
}

/** Each mark by itself: the later choice; set wins over unset at the same moment. */
export function mergeMarks(a: ListeningMarks, b: ListeningMarks): ListeningMarks {
  const favourite = laterChoice(a.favourite, b.favourite)
  const heard = laterChoice(a.heard, b.heard)
  return { ...(favourite && { favourite }), ...(heard && { heard }) }
}

/** The later writing; a removal wins at the same moment. */
export function mergeNotes(a: ListeningNote, b: ListeningNote): ListeningNote {
  return firstOf(
    a,
    b,
    b.changedAt - a.changedAt || Number(b.removed) - Number(a.removed) || compare(facts(b), facts(a)),
  )
}

/** The later change of the same teaching's place; a removal wins at the same moment. */
export function mergeUpNext(a: UpNextEntry, b: UpNextEntry): UpNextEntry {
  return firstOf(
    a,
    b,
    b.changedAt - a.changedAt || Number(b.removed) - Number(a.removed) || compare(a.order, b.order),
  )
}

/** The places to offer if two devices stopped at different ones: the newer, and the other if it is far from it. */
export function placesToOffer(a: ListeningPosition, b: ListeningPosition): readonly number[] {
  const newest = mergePositions(a, b)
  const other = newestFirst(a, newest) === 0 ? b : a
  return Math.abs(other.seconds - newest.seconds) > farSeconds
    ? [newest.seconds, other.seconds]
    : [newest.seconds]
}

const farSeconds = 5 * 60

type Place = ListeningPosition['earlier'][number]

const newestFirst = (a: Place, b: Place): number => b.listenedAt - a.listenedAt || b.seconds - a.seconds

function newestPlaces(places: readonly Place[]): Place[] {
  const sorted = places.map(({ seconds, listenedAt }) => ({ seconds, listenedAt })).sort(newestFirst)
  return sorted
    .filter((place, at) => at === 0 || newestFirst(place, sorted[at - 1]!) !== 0)
    .slice(0, earlierKept)
}

function laterChoice(a: MarkChoice | undefined, b: MarkChoice | undefined): MarkChoice | undefined {
  return a && b ? firstOf(a, b, b.at - a.at || Number(b.on) - Number(a.on)) : (a ?? b)
}

/** The order of two writings of the same moment; any order will do that is the same on every device. */
const facts = ({ text, seconds, createdAt, uid }: ListeningNote): string =>
  JSON.stringify([text, seconds, createdAt, uid])

const firstOf = <Value>(a: Value, b: Value, order: number): Value => (order <= 0 ? a : b)

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
