import { checkAddress, checkShow } from '@fellowship/schema/feed/check-show'
import { feed } from '@fellowship/schema/feed/feed.contract'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { testServer } from '../../testing/test-server.ts'
import { FeedCheck } from './feed-check.admin.tsx'

const address = 'http://localhost:3000/feed.xml'
const show = {
  title: 'Teaching',
  description: 'Teaching of a church.',
  language: 'en-nz',
  category: 'Religion & Spirituality',
  explicit: 'false',
  link: 'http://localhost:3000',
  author: 'A church',
  ownerEmail: '',
  self: address,
  guid: 'a',
}

test('directories refuse a local feed without an owner', async () => {
  const lines = [checkAddress(address, 'not set'), ...checkShow(show, address)]
  await testServer({ [`GET ${feed.check.path}`]: () => ({ body: { address, lines } }) })
  render(<FeedCheck />)
  await userEvent.click(screen.getByRole('button', { name: 'Test my feed' }))
  await screen.findByText('Directories would not accept the feed: 2 things are wrong.')
  expect(screen.queryByText(/will accept/)).toBeNull()
})
