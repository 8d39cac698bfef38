import { aTeaching } from '@fellowship/schema/testing/builders'
import { render, screen, within } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { openFilters, type LibraryFilters } from './library.ts'
import { TeachingLibrary } from './teaching-library.tsx'

const rows = [
  ['Hope', 'John Smith', 'Romans 8:28-39'],
  ['Love', 'Mary Jones', '1 John 4:7'],
].map(([title, speaker, scriptureReference], at) =>
  aTeaching({
    id: at + 1,
    uid: `6f1c1f0e-2b7a-4c58-a1de-00000000000${at}`,
    title: title!,
    speaker: speaker!,
    scriptureReference,
  }),
)

function show() {
  let shown: LibraryFilters = openFilters
  render(<Page />)
  return () => shown

  function Page() {
    const [filters, setFilters] = useState(openFilters)
    shown = filters
    return (
      <TeachingLibrary
        library={{ status: 'ready', rows }}
        filters={filters}
        onFilters={(change) => setFilters((before) => ({ ...before, ...change }))}
        onRetry={() => undefined}
        row={({ title }) => <li>{title}</li>}
      />
    )
  }
}

const field = () => screen.getByRole<HTMLInputElement>('searchbox')
const options = async () =>
  within(await screen.findByRole('listbox', { name: 'Suggestions' }))
    .getAllByRole('option')
    .map((option) => option.textContent)
const active = () => {
  const id = field().getAttribute('aria-activedescendant')
  return id === null ? null : document.getElementById(id)?.textContent
}

test('suggests nothing without input or without a match', async () => {
  show()
  await userEvent.click(field())
  expect(screen.queryByRole('listbox')).toBeNull()
  await userEvent.type(field(), 'hop')
  expect(screen.queryByRole('listbox')).toBeNull()
})

test('arrow keys select a suggestion and Enter applies it', async () => {
  const filters = show()
  await userEvent.type(field(), 'john')
  expect(await options()).toEqual(['John Smith, speaker', '1 John, book of the Bible'])
  expect(active()).toBeNull()
  await userEvent.keyboard('{ArrowDown}{ArrowDown}')
  expect(active()).toBe('1 John, book of the Bible')
  await userEvent.keyboard('{ArrowDown}')
  expect(active()).toBeNull()
  await userEvent.keyboard('{ArrowUp}{ArrowUp}')
  expect(active()).toBe('John Smith, speaker')
  await userEvent.keyboard('{Enter}')
  expect(filters()).toEqual({ ...openFilters, speaker: 'John Smith' })
  expect(screen.queryByRole('listbox')).toBeNull()
  expect(document.activeElement).toBe(field())
})

test('Enter without a selection searches; Escape hides suggestions', async () => {
  const filters = show()
  await userEvent.type(field(), 'john{Enter}')
  expect(filters()).toEqual({ ...openFilters, q: 'john' })
  await userEvent.keyboard('{Escape}')
  expect(screen.queryByRole('listbox')).toBeNull()
  expect(field().value).toBe('john')
  await userEvent.keyboard('{Backspace}')
  expect(await options()).toHaveLength(2)
})

test('a click on a suggestion filters by it', async () => {
  const filters = show()
  await userEvent.type(field(), 'rom')
  await userEvent.click(await screen.findByRole('option', { name: /Romans/ }))
  expect(filters()).toEqual({ ...openFilters, book: 'Romans' })
})
