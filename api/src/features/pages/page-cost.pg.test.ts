import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { seriesPath } from '@fellowship/schema/series/series-address'
import type { Series } from '@fellowship/schema/series/series.schema'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { manyTeachings } from '@fellowship/schema/testing/builders'
import { testApp } from '../../testing/test-app.ts'
import { libraryOf } from '../feed/live-library.ts'
import { pageSource } from './pages.ts'

const app = await testApp()

/** A library in turn of one speaker and on one book, with as many series, whose rows count reads. */
function countedLibrary(count: number) {
  let looks = 0
  const counted = <Row extends object>(rows: Row[]): Row[] =>
    new Proxy(
      rows.map(
        (row) =>
          new Proxy(row, {
            get(target, name, receiver) {
              looks += 1
              return Reflect.get(target, name, receiver) as unknown
            },
          }),
      ),
      {
        get(target, name, receiver) {
          if (typeof name === 'string' && /^\d/.test(name)) looks += 1
          return Reflect.get(target, name, receiver) as unknown
        },
      },
    )
  const plain = manyTeachings(count).map((teaching, at) => ({
    ...teaching,
    // The last one's speaker and book have few others.
    speaker: at === count - 1 ? 'Only Once' : 'Ana Smith',
    scriptureReference: at === count - 1 ? 'Jude 3' : 'John 3:16',
  }))
  const series = Array.from({ length: count }, (_, n): Series => {
    const teachings = [plain[n]!.uid]
    const uid = `f3b0c1de-0000-4000-8000-${String(n).padStart(12, '0')}`
    return { uid, rev: 1, slug: `hope-${n}`, title: `Hope ${n}`, description: '', teachings, imageUrl: null }
  })
  const whole = { ...series[0]!, slug: 'whole', teachings: plain.slice(0, 200).map(({ uid }) => uid) }
  const library = libraryOf(`${count}`, counted(plain), counted([whole, ...series]))
  return { library, plain, series, looks: () => looks }
}

async function looksFor(count: number): Promise<Record<string, number>> {
  const { library, plain, series, looks } = countedLibrary(count)
  const { headOf } = pageSource(
    app.context,
    async () => library,
    async () => '',
  )
  const ask = (url: string) => headOf({ url, headers: { host: 'localhost' } } as IncomingMessage)
  const [first, other, , last] = [plain[0]!, plain[1]!, plain[2]!, plain.at(-1)!]
  const pages = {
    'a speaker': ['/speakers/ana-smith'],
    'a book': ['/books/john'],
    'a series': [seriesPath({ slug: 'whole' })],
    'the last series': [seriesPath(series.at(-1)!)],
    'all of them': ['/browse'],
    // Another each time, so that it is rendered.
    'a teaching': [teachingPath(first), teachingPath(other)],
    'a teaching like no other': [teachingPath(plain[3]!), teachingPath(last)],
    'a link of an earlier release': [`/teaching?t=${first.uid}`],
  }
  const counts: Record<string, number> = {}
  for (const [name, [address, again = address]] of Object.entries(pages)) {
    app.clock.advance(1000)
    await ask(address!)
    const before = looks()
    const { status } = await ask(again!)
    expect([name, status]).toEqual([name, 200])
    counts[name] = looks() - before
  }
  return counts
}

test('a page reads no more rows of a larger library', async () => {
  const [small, large] = [await looksFor(300), await looksFor(3_000)]
  expect(large).toEqual(small)
})
