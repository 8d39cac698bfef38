import { aTeaching } from '@fellowship/schema/testing/builders'
import type { ListedTeaching } from '@fellowship/schema/teachings/saved-teaching'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { describe, expect, test } from 'vitest'
import { openFilters } from './library.ts'
import { ShareButton } from './share-button.tsx'
import { TeachingLibrary } from './teaching-library.tsx'
import { TeachingRow } from './teaching-row.tsx'

const teaching = (id: number, title: string): Teaching =>
  aTeaching({ id, uid: `6f1c1f0e-2b7a-4c58-a1de-${String(id).padStart(12, '0')}`, title })
const hope = teaching(3, 'Hope in Christ')
const whanau = teaching(2, 'Whānau of God')
const trust = teaching(1, 'Quiet trust')
const newest = teaching(4, 'Come and see')

async function show() {
  const { rerender } = render(<Page rows={[hope, whanau, trust]} />)
  // The first search waits for the index; later ones are synchronous.
  await searched('hope', 'Hope in Christ')
  await searched('', 'Hope in Christ', 'Whānau of God', 'Quiet trust')
  return (...rows: Teaching[]) => rerender(<Page rows={rows} />)
}

function Page({ rows }: { rows: readonly Teaching[] }) {
  const [filters, setFilters] = useState(openFilters)
  return (
    <TeachingLibrary
      library={{ status: 'ready', rows }}
      filters={filters}
      onFilters={(change) => setFilters((before) => ({ ...before, ...change }))}
      onRetry={() => undefined}
      row={renderRow}
    />
  )
}

const renderRow = (shown: ListedTeaching) => (
  <TeachingRow
    teaching={shown}
    playback="closed"
    onToggle={() => undefined}
    share={<ShareButton teaching={shown} momentOf={() => 0} />}
  />
)

const elements = () => screen.getAllByRole('heading', { level: 3 }).map((title) => title.closest('li')!)
const button = (name: string) => screen.getByRole('button', { name })
const searched = async (text: string, ...left: string[]) => {
  fireEvent.change(screen.getByRole('searchbox'), { target: { value: text } })
  await waitFor(() => expect(elements().map((row) => row.querySelector('h3')?.textContent)).toEqual(left))
}

describe('rows of a changing list', () => {
  test('reuses the elements of untouched rows', async () => {
    await show()
    const [first] = elements()
    await searched('whanau', 'Whānau of God')
    expect(elements()).toEqual([first])
    expect(first!.id).toBe(`teaching-${whanau.uid}`)
  })

  test.each([
    ['the pointer was over', (row: Element) => fireEvent.pointerOver(row.querySelector('h3')!)],
    ['had the focus', (row: Element) => row.querySelector('button')!.focus()],
    ['was clicked by a screen reader', (row: Element) => fireEvent.click(row.querySelector('button')!)],
  ])('does not reuse the element of a row that %s', async (_, touch) => {
    await show()
    const [first] = elements()
    touch(first!)
    await searched('whanau', 'Whānau of God')
    expect(first!.isConnected).toBe(false)
  })

  test('the focus stays with its teaching', async () => {
    const setRows = await show()
    const play = button('Play Whānau of God')
    play.focus()
    setRows(newest, hope, whanau, trust)
    expect(document.activeElement).toBe(play)
    expect(play.getAttribute('aria-label')).toBe('Play Whānau of God')
    setRows(newest, hope, trust)
    expect(document.activeElement).toBe(document.body)
  })

  test('an open dialog stays with its teaching', async () => {
    const setRows = await show()
    await userEvent.click(button('Share Whānau of God'))
    const dialog = await screen.findByRole('dialog', { name: 'Share this teaching' })
    expect(dialog.textContent).toContain('Whānau of God')
    setRows(newest, hope, whanau, trust)
    expect(screen.getByRole('dialog')).toBe(dialog)
    expect(dialog.textContent).toContain('Whānau of God')
    setRows(newest, hope, trust)
    await waitFor(() => expect(screen.queryByRole('dialog')).toBeNull())
  })
})
