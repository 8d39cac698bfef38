import { spokenLimits } from '@fellowship/schema/spoken-search/spoken-search.limits'
import type { SaidAnswer } from '@fellowship/schema/spoken-search/spoken-search.schema'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { beforeEach, describe, expect, test, vi } from 'vitest'
import { chooseComfort } from '../../lib/comfort.ts'
import { testServer } from '../../testing/test-server.ts'
import { SpokenFound } from './spoken-found.tsx'

const uid = (n: number) => `00000000-0000-4000-8000-00000000000${n}`
const rows = [1, 2, 3].map((n) =>
  aTeaching({ id: n, uid: uid(n), title: `Study ${n}`, transcriptRev: n === 3 ? null : n }),
)
const sentence = (text: string, start: number | null, marks: [number, number][] = []) => ({
  at: 1,
  text,
  start,
  marks,
  before: { text: 'He asked for it.', marks: [] },
  after: null,
})
const answer: SaidAnswer = {
  total: 2,
  teachings: [
    { uid: uid(2), sentences: [sentence('He wasted it all.', 83_000, [[3, 9]])] },
    { uid: uid(1), sentences: [sentence('All was wasted.', null, [[8, 14]])] },
  ],
}

// Without an index on the device the server searches.
beforeEach(() => chooseComfort({ spoken: 'none' }))

async function show(query: string, teachings = rows) {
  const said = { [`GET /api/spoken-search/said?q=${query}`]: () => ({ body: answer }) }
  const requests = await testServer(said)
  const play = vi.fn()
  render(<SpokenFound query={query} rows={teachings} link={({ title }) => title} onPlay={play} />)
  return { requests, play }
}

test('teachings without a text are not asked about', async () => {
  const { requests } = await show('wasted', [rows[2]!])
  await new Promise((resolve) => setTimeout(resolve, 400))
  expect(requests).toEqual([])
  expect(screen.queryByRole('heading')).toBeNull()
})

test('a press on a sentence plays from before it', async () => {
  const { play } = await show('wasted')
  const found = within(await screen.findByRole('region', { name: 'In what was said (2)' }))
  expect(found.getAllByRole('heading', { level: 4 }).map((title) => title.textContent)).toEqual([
    'Study 2',
    'Study 1',
  ])
  const press = await found.findByRole('button', {
    name: 'Play Study 2 from 1 minute 23 seconds: He wasted it all.',
  })
  expect(press.textContent).toBe('1:23He asked for it. He wasted it all. ')
  expect(within(press).getByText('wasted').tagName).toBe('MARK')
  await userEvent.click(press)
  expect(play).toHaveBeenCalledWith(rows[1], 83 - spokenLimits.leadSeconds)
})

test('a sentence without a time cannot be pressed', async () => {
  await show('wasted')
  expect(await screen.findByText(/All was/)).toBeTruthy()
  expect(screen.getAllByRole('button')).toHaveLength(1)
})

describe('an index on this device', () => {
  const asked: string[] = []
  beforeEach(() => {
    asked.length = 0
    chooseComfort({ spoken: 'stored' })
    vi.stubGlobal(
      'Worker',
      class extends EventTarget {
        postMessage({ name }: { name: string }) {
          asked.push(name)
        }
      },
    )
  })
  const shown = (teachings: typeof rows) =>
    render(
      <>
        <input type="search" />
        <SpokenFound query="" rows={teachings} link={({ title }) => title} onPlay={() => undefined} />
      </>,
    )

  test('is not built for a library without texts', async () => {
    shown([rows[2]!])
    await userEvent.click(screen.getByRole('searchbox'))
    expect(asked).toEqual([])
  })

  test('is built when the search gets the focus', async () => {
    shown(rows)
    expect(asked).toEqual([])
    await userEvent.click(screen.getByRole('searchbox'))
    expect(asked).toEqual(['prepare'])
  })
})
