import { aTeaching } from '@fellowship/schema/testing/builders'
import { filterTeachings, type TeachingFilter } from '@fellowship/schema/teachings/teaching-facets'
import { render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { afterEach, expect, test, vi } from 'vitest'
import { Button } from '../../ui/button.tsx'
import { FilterPanel } from './filter-panel.tsx'

const rows = [
  aTeaching({ id: 1, scriptureReference: 'Romans 8:1', speaker: 'Jane Doe' }),
  aTeaching({ id: 2, scriptureReference: 'Romans 12:1', speaker: 'John Smith' }),
  aTeaching({ id: 3, scriptureReference: 'Genesis 1:1', speaker: 'Jane Doe' }),
]

afterEach(() => vi.unstubAllGlobals())

/** As the page does: the panel is inside the form of its button, and the list counts the results. */
function Page() {
  const [open, setOpen] = useState(false)
  const [filter, setFilter] = useState<TeachingFilter>({ book: null, speaker: null, year: null })
  const found = filterTeachings(rows, filter)
  return (
    <>
      <form>
        <Button aria-expanded={open} onClick={() => setOpen(!open)}>
          Filter
        </Button>
        {open && (
          <FilterPanel
            rows={rows}
            found={found.length}
            years={[2026]}
            filter={filter}
            onFilter={(change) => setFilter((before) => ({ ...before, ...change }))}
            onClose={() => setOpen(false)}
          />
        )}
      </form>
      <p>{found.length} listed</p>
    </>
  )
}

const onA = (device: 'phone' | 'desktop') => {
  vi.stubGlobal('matchMedia', () => Object.assign(new EventTarget(), { matches: device === 'phone' }))
  render(<Page />)
  return userEvent.click(screen.getByRole('button', { name: 'Filter' }))
}
const press = async (name: string | RegExp) => userEvent.click(await screen.findByRole('button', { name }))

test('the sheet of a phone counts its results live', async () => {
  await onA('phone')
  await screen.findByRole('dialog', { name: 'Filter' })
  expect(screen.getByRole('button', { name: 'Show 3 teachings' })).toBeTruthy()
  await press('Romans 2 teachings')
  await press('Jane Doe 1 teaching')
  await press('Show 1 teaching')
  await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  expect(screen.getByText('1 listed')).toBeTruthy()
})

test('Clear removes every choice of the sheet', async () => {
  await onA('phone')
  expect(screen.queryByRole('button', { name: 'Clear' })).toBeNull()
  await press('Genesis 1 teaching')
  await press('Clear')
  expect(await screen.findByRole('button', { name: 'Show 3 teachings' })).toBeTruthy()
})

test('the popover closes on a choice and returns the focus', async () => {
  await onA('desktop')
  await press('Romans 2 teachings')
  expect(screen.queryByRole('group', { name: 'Filter' })).toBeNull()
  expect(screen.getByText('2 listed')).toBeTruthy()
  expect(document.activeElement).toBe(screen.getByRole('button', { name: 'Filter' }))
})

test.each([
  ['Escape', () => userEvent.keyboard('{Escape}')],
  ['a press elsewhere', () => userEvent.click(screen.getByText('3 listed'))],
])('%s closes the popover without a choice', async (_, close) => {
  await onA('desktop')
  screen.getByRole('button', { name: 'Romans 2 teachings' }).focus()
  await close()
  expect(screen.queryByRole('group', { name: 'Filter' })).toBeNull()
  expect(screen.getByText('3 listed')).toBeTruthy()
})
