import type { ImportReport } from '@fellowship/schema/imports/imports.contract'
import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, test } from 'vitest'
import { ImportItems, reportOf } from './import-items.tsx'

type Item = ImportReport['items'][number]

const item = (number: number, more: Partial<Item> = {}): Item => ({
  guid: `g-${number}`,
  title: `Title ${number}`,
  speaker: 'Sam Desk',
  date: '2020-11-22',
  scripture: '',
  series: '',
  verdict: 'new',
  reason: '',
  outcome: null,
  teaching: null,
  ...more,
})

test('a thousand items are shown in portions', async () => {
  const items = Array.from({ length: 1_000 }, (_, at) => item(at))
  const failed = item(1_000, { outcome: 'failed', reason: 'The address answers 404.' })
  render(<ImportItems items={[...items, failed]} />)
  expect(screen.getAllByRole('listitem')).toHaveLength(50)
  await userEvent.click(screen.getByRole('button', { name: 'Show 50 more of 1001' }))
  expect(screen.getAllByRole('listitem')).toHaveLength(100)
  await userEvent.selectOptions(screen.getByLabelText('Show'), 'Failed (1)')
  expect(screen.getAllByRole('listitem')).toHaveLength(1)
  screen.getByText('The address answers 404.')
})

test('the report writes formulas as text', () => {
  const [, row] = reportOf([item(1, { title: '=HYPERLINK("x")' })]).split('\r\n')
  expect(row).toBe(`"2020-11-22","'=HYPERLINK(""x"")","Sam Desk","","","g-1","new","","",""`)
})
