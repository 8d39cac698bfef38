import { seededRandom } from '@fellowship/sync/testing/random'
import type { LineQuality } from './line.ts'

/** A stretch without signal, in seconds from the start. */
interface DeadSpot {
  from: number
  to: number
}

export interface Profile extends LineQuality {
  name: string
  /** Seconds. */
  length: number
  deadSpots: readonly DeadSpot[]
}

const kilobit = 1_000
const minute = 60

/** An hour between hills: the first dead spot begins after two minutes, the longest takes twelve. */
function drive(
  name: string,
  quality: LineQuality,
  { count, seed }: { count: number; seed: number },
): Profile {
  const random = seededRandom(seed)
  const length = 60 * minute
  const longest = Math.floor(count / 2)
  // The rest of the hour is shared by stretches with signal.
  const dead = Array.from({ length: count }, (_, at) => (at === longest ? 12 * minute : 10 + random.int(80)))
  const shares = Array.from({ length: count }, () => 1 + random.int(4))
  const open = length - 2 * minute - dead.reduce((sum, seconds) => sum + seconds, 0)
  const share = open / shares.reduce((sum, each) => sum + each, 0)
  let at = 2 * minute
  const deadSpots = dead.map((seconds, index) => {
    const from = Math.round(at)
    at += seconds + shares[index]! * share
    return { from, to: from + seconds }
  })
  return { name, ...quality, length, deadSpots }
}

/** Ten lines, from the edge of a valley to a town, and three drives. */
export const profiles: readonly Profile[] = [
  { name: 'edge of coverage', rate: 50 * kilobit, delay: 800, loss: 0.02, length: 600, deadSpots: [] },
  { name: '2G', rate: 120 * kilobit, delay: 600, loss: 0.01, length: 600, deadSpots: [] },
  { name: 'weak 3G', rate: 250 * kilobit, delay: 500, loss: 0.01, length: 600, deadSpots: [] },
  { name: '3G', rate: 400 * kilobit, delay: 400, length: 600, deadSpots: [] },
  { name: 'satellite', rate: 2_000 * kilobit, delay: 700, length: 600, deadSpots: [] },
  { name: 'weak 4G', rate: 1_000 * kilobit, delay: 200, loss: 0.005, length: 600, deadSpots: [] },
  { name: 'town', rate: 4_000 * kilobit, delay: 60, length: 600, deadSpots: [] },
  drive('drive at 400 kbit/s', { rate: 400 * kilobit, delay: 400, loss: 0.005 }, { count: 10, seed: 1 }),
  drive('drive at 1 Mbit/s', { rate: 1_000 * kilobit, delay: 200, loss: 0.005 }, { count: 15, seed: 2 }),
  drive('drive at 4 Mbit/s', { rate: 4_000 * kilobit, delay: 80, loss: 0.002 }, { count: 20, seed: 3 }),
]

/** The same line in `1 / pace` of the time, for a player that plays `pace` times as fast. */
export function compressed({ name, rate, delay, loss, length, deadSpots }: Profile, pace: number): Profile {
  return {
    name,
    rate: rate * pace,
    delay: delay / pace,
    ...(loss !== undefined && { loss }),
    length: length / pace,
    deadSpots: deadSpots.map(({ from, to }) => ({ from: from / pace, to: to / pace })),
  }
}
