import { aTeaching } from '@fellowship/schema/testing/builders'
import { render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { BrowsePanel } from './browse-panel.tsx'

const rows = [aTeaching({ speaker: 'Hēmi O’Brien', scriptureReference: '1 Samuel 3:1-10' })]
const open = { book: null, speaker: null, year: null }
const feeds = () => screen.queryAllByRole('link').map((link) => [link.textContent, link.getAttribute('href')])

test('offers no feed where neither a speaker nor a book is chosen, or the name has no letter', () => {
  const { rerender } = render(<BrowsePanel rows={rows} filter={open} onFilter={() => undefined} />)
  expect(feeds()).toEqual([])
  rerender(<BrowsePanel rows={rows} filter={{ ...open, speaker: '…' }} onFilter={() => undefined} />)
  expect(feeds()).toEqual([])
})

test('offers the podcast feed of the chosen speaker and book', () => {
  const filter = { ...open, book: '1 Samuel', speaker: 'Hēmi O’Brien' }
  render(<BrowsePanel rows={rows} filter={filter} onFilter={() => undefined} />)
  expect(feeds()).toEqual([
    ['Podcast feed of 1 Samuel', '/books/1-samuel/feed.xml'],
    ['Podcast feed of Hēmi O’Brien', '/speakers/hemi-obrien/feed.xml'],
  ])
})
