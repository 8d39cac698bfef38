import MiniSearch from 'minisearch'
import { buildTeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { manyTeachings } from '@fellowship/schema/testing/builders'
import type { Area, BenchRow } from '../area.ts'
import { median, percentile, ratioText, sideBySide } from '../rounds.ts'

/** More results than one screen shows. */
const limit = 50
const letters = 12

/** Search latency at every keystroke of phrases that occur in the library. */
export const search: Area = {
  name: 'search',
  needs: [],
  async run({ report }) {
    for (const row of await measure(10_000, 40, { p95: 0.7, build: 70 })) report(row)
    for (const row of await measure(100_000, 4, { p95: 2.1 })) report(row)
  },
}

async function measure(
  count: number,
  phrases: number,
  goal: { p95: number; build?: number },
): Promise<BenchRow[]> {
  const rows = manyTeachings(count)
  const typed = keystrokes(rows, phrases)
  const builds = await sideBySide(
    () => milliseconds(() => buildTeachingIndex(rows)),
    () => milliseconds(() => buildMiniSearch(rows)),
  )
  const index = buildTeachingIndex(rows)
  const mini = buildMiniSearch(rows)
  const medians = { product: [] as number[], yardstick: [] as number[] }
  const slow = await sideBySide(
    () => Promise.resolve(type(typed, medians.product, (text) => index.search(text, { limit }))),
    () => Promise.resolve(type(typed, medians.yardstick, (text) => mini.search(text).slice(0, limit))),
  )
  const name = count.toLocaleString('en-NZ')
  return [
    {
      work: `search ${name}, a keystroke: p95 (p50)`,
      product: `${slow.product.toFixed(2)} ms (${median(medians.product).toFixed(2)})`,
      yardstick: `MiniSearch ${slow.yardstick.toFixed(2)} ms (${median(medians.yardstick).toFixed(2)})`,
      ratio: ratioText(slow.ratios),
      target: `≤ ${goal.p95} ms`,
      met: slow.product <= goal.p95,
    },
    {
      work: `search ${name}, building the index`,
      product: `${builds.product.toFixed(0)} ms`,
      yardstick: `MiniSearch ${builds.yardstick.toFixed(0)} ms`,
      ratio: ratioText(builds.ratios),
      target: goal.build === undefined ? '–' : `≤ ${goal.build} ms`,
      met: goal.build === undefined || builds.product <= goal.build,
    },
  ]
}

/** Every prefix of titles, names, names with a title, and references, spread over the library. */
function keystrokes(rows: readonly Teaching[], phrases: number): string[] {
  return Array.from({ length: phrases }, (_, at) => rows[Math.floor((at * rows.length) / phrases)]!).flatMap(
    (row, at) => {
      const phrase = [
        row.title,
        row.speaker,
        `${row.speaker.split(' ')[1]} ${row.title}`,
        row.scriptureReference ?? row.title,
      ][at % 4]!
      return Array.from(phrase.slice(0, letters), (_letter, end) => phrase.slice(0, end + 1))
    },
  )
}

/** The 95th percentile in milliseconds; adds the median to `medians`. */
function type(typed: readonly string[], medians: number[], find: (text: string) => unknown[]): number {
  const times = typed.map((text) => {
    const started = performance.now()
    find(text)
    return performance.now() - started
  })
  medians.push(median(times))
  return percentile(times, 0.95)
}

function buildMiniSearch(rows: readonly Teaching[]): MiniSearch<Teaching> {
  const index = new MiniSearch<Teaching>({
    idField: 'uid',
    fields: ['title', 'speaker', 'scriptureReference', 'date'],
    searchOptions: { prefix: true, fuzzy: 0.2, combineWith: 'AND' },
  })
  index.addAll(rows)
  return index
}

function milliseconds(work: () => unknown): Promise<number> {
  const started = performance.now()
  work()
  return Promise.resolve(performance.now() - started)
}
