import { faults, type Fault } from './machine.ts'
import { asks, type Ask } from './requests.ts'

/** A request during a fault, the answer to its device, and the state afterwards. */
export interface Sighting {
  fault: Fault
  ask: Ask
  /** The status of the answer; undefined if none came. */
  told: number | undefined
  found: string
}

/** Pairs of a request and a fault that were never seen together. */
export function emptyPairs(sightings: readonly Sighting[]): string[] {
  const seen = new Set(sightings.map(pairOf))
  return faults
    .flatMap((fault) => asks.map((ask) => pairOf({ fault, ask })))
    .filter((pair) => !seen.has(pair))
}

/** The crash table as Markdown: the fault, the request, and how often each state followed. */
export function crashTable(sightings: readonly Sighting[]): string {
  const lines = faults.flatMap((fault) =>
    asks.map((ask) => {
      const those = sightings.filter((each) => pairOf(each) === pairOf({ fault, ask }))
      return `| ${fault} | ${ask} | ${counted(those.map(({ told }) => String(told ?? 'no answer')))} | ${counted(those.map(({ found }) => found))} |`
    }),
  )
  return [
    '| What happened | What was asked | What the device was told | What was there afterwards |',
    '|---|---|---|---|',
    ...lines,
  ].join('\n')
}

const pairOf = ({ fault, ask }: Pick<Sighting, 'fault' | 'ask'>) => `${ask} × ${fault}`

/** Values with how often they occur, the most frequent first. */
function counted(values: readonly string[]): string {
  const counts = new Map<string, number>()
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1)
  return [...counts]
    .toSorted(([, a], [, b]) => b - a)
    .map(([value, count]) => `${value} ${count}`)
    .join(', ')
}
