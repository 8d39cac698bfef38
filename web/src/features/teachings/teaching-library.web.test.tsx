import { aTeaching, manyTeachings } from '@fellowship/schema/testing/builders'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, test, vi } from 'vitest'
import { openFilters, type Library } from './library.ts'
import { TeachingLibrary } from './teaching-library.tsx'
import { TeachingRow } from './teaching-row.tsx'

const uid = (n: number) => `6f1c1f0e-2b7a-4c58-a1de-${String(n).padStart(12, '0')}`
const rows: Teaching[] = [
  aTeaching({ id: 8, uid: uid(8), title: 'Hope_in_Christ', date: '2026-11-22' }),
  aTeaching({
    id: 7,
    uid: uid(7),
    title: 'Whānau of God',
    date: '2026-11-15',
    scriptureReference: 'Ephesians 2:11-22',
  }),
  aTeaching({
    id: 6,
    uid: uid(6),
    title: 'Quiet trust',
    date: '2026-11-08',
    audioUrl: null,
    scriptureReference: null,
  }),
  ...[5, 4, 3, 2, 1].map((id) =>
    aTeaching({ id, uid: uid(id), title: `Study ${id}`, date: `2025-0${id}-01`, scriptureReference: null }),
  ),
]

function show(
  library: Library,
  {
    playing = null as Teaching | null,
    onRetry = () => {},
    onToggle = (() => {}) as (teaching: ListedTeaching) => void,
    filters: initial = openFilters,
  } = {},
) {
  let shown = library
  const view = render(<Page />)
  return (next: Library) => {
    shown = next
    view.rerender(<Page />)
  }

  /** Holds the filters, as the page does in its address. */
  function Page() {
    const [filters, setFilters] = useState(initial)
    return (
      <TeachingLibrary
        library={shown}
        filters={filters}
        onFilters={(change) => setFilters((before) => ({ ...before, ...change }))}
        onRetry={onRetry}
        row={(teaching) => (
          <TeachingRow
            teaching={teaching}
            playback={teaching === playing ? 'playing' : 'closed'}
            onToggle={() => onToggle(teaching)}
          />
        )}
      />
    )
  }
}
const ready = (given: readonly Teaching[] = rows): Library => ({ status: 'ready', rows: given })
const titles = () => screen.queryAllByRole('heading', { level: 3 }).map((heading) => heading.textContent)
const listTitle = () => screen.getByRole('heading', { level: 2 }).textContent
const search = (text: string) => userEvent.type(screen.getByRole('searchbox'), text)

describe('without teachings', () => {
  test('shows why the list failed to load, with a retry', async () => {
    const onRetry = vi.fn()
    show({ status: 'failed', sentence: 'Failed to fetch teaching: No connection.' }, { onRetry })
    expect(screen.getByText('Failed to fetch teaching: No connection.')).toBeTruthy()
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(onRetry).toHaveBeenCalledOnce()
  })

  test('an empty device offline explains itself, with a retry', async () => {
    const onRetry = vi.fn()
    show({ status: 'failed', sentence: 'No connection.', offline: true }, { onRetry })
    expect(screen.getByText('You are offline, and this device has no library yet')).toBeTruthy()
    expect(screen.queryByText('No connection.')).toBeNull()
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }))
    expect(onRetry).toHaveBeenCalledOnce()
  })

  test('shows that the library is loading', () => {
    show({ status: 'loading' })
    expect(screen.getByText('Loading the teaching')).toBeTruthy()
    expect(screen.queryByText('No teaching available.')).toBeNull()
  })

  test('shows no counts while the library is partial', async () => {
    show({ status: 'ready', rows: rows.slice(0, 2), partial: true })
    await userEvent.click(screen.getByRole('button', { name: 'Filter by book, speaker or year' }))
    expect(await screen.findByText('Reading the whole library…')).toBeTruthy()
    expect(screen.queryByRole('region', { name: 'New Testament' })).toBeNull()
  })

  test('calls no year empty while the library is partial', () => {
    const filters = { ...openFilters, year: 2012 }
    show({ status: 'ready', rows: rows.slice(0, 2), partial: true }, { filters })
    expect(screen.queryByText('No teaching available.')).toBeNull()
    expect(screen.getByText('Loading the teaching')).toBeTruthy()
  })

  test('shows no result count before all rows are loaded', async () => {
    const partial: Library = { status: 'ready', rows, partial: true }
    const showNext = show(partial, { filters: { ...openFilters, q: 'xyzzyq' } })
    expect(listTitle()).toBe('Search Results')
    showNext(ready())
    expect(await screen.findByText('Search Results (0)')).toBeTruthy()
    expect(screen.getByText('0 found')).toBeTruthy()
    // These rows are indexed, so the matches are found, but their count is still omitted.
    showNext(partial)
    expect(listTitle()).toBe('Search Results')
    expect(screen.queryByText('0 found')).toBeNull()
  })

  test('lists a chosen year without teachings', async () => {
    show(ready(), { filters: { ...openFilters, year: 2012 } })
    expect(listTitle()).toBe('2012 Teaching')
    const years = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Year' })
    expect(years.value).toBe('2012')
    await userEvent.selectOptions(years, 'All Years')
    expect(listTitle()).toBe('All Teaching')
    expect([...years.options].map(({ text }) => text)).toEqual(['All Years', '2026', '2025'])
  })
})

describe('a row', () => {
  test('disables the play button without audio', async () => {
    const onToggle = vi.fn()
    show(ready(), { onToggle })
    const button = screen.getByRole<HTMLButtonElement>('button', { name: 'Play Quiet trust' })
    expect(button.disabled).toBe(true)
    await userEvent.click(button)
    expect(onToggle).not.toHaveBeenCalled()
    expect(screen.getAllByText('Audio file coming soon')).toHaveLength(1)
  })

  test('shows title, date, speaker and scripture for people', () => {
    show(ready())
    const first = within(screen.getAllByRole('listitem')[0]!)
    expect(first.getByRole('heading').textContent).toBe('Hope in Christ')
    expect(first.getByRole('time').textContent).toBe('22 November 2026')
    expect(first.getByText('John Smith')).toBeTruthy()
    expect(first.getByText('Romans 8:28-39')).toBeTruthy()
  })

  test('plays on a click', async () => {
    const onToggle = vi.fn()
    show(ready(), { onToggle })
    await userEvent.click(screen.getByRole('button', { name: 'Play Hope in Christ' }))
    expect(onToggle).toHaveBeenCalledExactlyOnceWith(rows[0])
  })
})

describe('the list', () => {
  test('shows five, loads five more, focuses the first new one', async () => {
    show(ready())
    expect(listTitle()).toBe('All Teaching')
    expect(titles()).toHaveLength(5)
    await userEvent.click(screen.getByRole('button', { name: 'Load More Teaching' }))
    expect(titles()).toHaveLength(8)
    expect(document.activeElement?.textContent).toContain('Study 3')
    expect(screen.queryByRole('button', { name: 'Load More Teaching' })).toBeNull()
  })

  test('lists each year once, newest first', async () => {
    show(
      ready([
        ...rows,
        ...manyTeachings(3).map((teaching) => ({ ...teaching, date: '2019-01-06', year: 2019 })),
      ]),
    )
    const year = screen.getByRole<HTMLSelectElement>('combobox', { name: 'Year' })
    expect([...year.options].map((option) => option.text)).toEqual(['All Years', '2026', '2025', '2019'])
    await userEvent.click(screen.getByRole('button', { name: 'Load More Teaching' }))
    await userEvent.selectOptions(year, '2025')
    expect(listTitle()).toBe('2025 Teaching')
    expect(titles()).toEqual(['Study 5', 'Study 4', 'Study 3', 'Study 2', 'Study 1'])
  })

  test.each([
    ['HOPE_IN', ['Hope in Christ']],
    ['whanau', ['Whānau of God']],
    ['ephesians 2:20', ['Whānau of God']],
    ['romans 8:30-31', ['Hope in Christ']],
  ])('filters at every keystroke: %s', async (text, found) => {
    show(ready())
    await search(text)
    expect(await screen.findByText(`Search Results (${found.length})`)).toBeTruthy()
    expect(titles()).toEqual(found)
  })

  test('search shows only matches while another teaching plays', async () => {
    show(ready(), { playing: rows[0]! })
    expect(screen.getByRole('button', { name: 'Pause and close Hope in Christ' })).toBeTruthy()
    await search('whanau')
    await screen.findByText('Search Results (1)')
    expect(titles()).toEqual(['Whānau of God'])
  })
})
