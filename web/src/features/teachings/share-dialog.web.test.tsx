import { sharePath } from '@fellowship/schema/teachings/share-link'
import { aTeaching } from '@fellowship/schema/testing/builders'
import { fireEvent, render, screen } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { ShareDialog } from './share-dialog.tsx'

const teaching = aTeaching({ title: 'Hope' })
const link = () => screen.getByLabelText<HTMLInputElement>('Link').value
const code = () => screen.getAllByLabelText('QR code of the link').map(({ innerHTML }) => innerHTML)
const show = (moment: number) =>
  render(<ShareDialog teaching={teaching} moment={moment} onClose={() => {}} />)

test('copies the link, with the position if wanted', async () => {
  const writeText = vi.fn(async () => undefined)
  Object.defineProperty(navigator, 'clipboard', { value: { writeText }, configurable: true })
  show(34)
  expect(link()).toBe(location.origin + sharePath(teaching, 0))
  const before = code()
  fireEvent.click(screen.getByLabelText('Start at 0:34'))
  expect(link()).toBe(location.origin + sharePath(teaching, 34))
  expect(code()).not.toEqual(before)
  fireEvent.click(screen.getByText('Copy link'))
  expect(await screen.findAllByText('Link copied')).toHaveLength(2)
  expect(writeText).toHaveBeenCalledExactlyOnceWith(link())
})

test('offers no position before the teaching was played', () => {
  show(0)
  expect(screen.queryByLabelText(/^Start at/)).toBeNull()
})
