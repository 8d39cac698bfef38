import { render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { Tabs } from './tabs.tsx'

function Page() {
  const [selected, select] = useState('a')
  const items = ['a', 'b', 'c'].map((id) => ({
    id,
    label: `Part ${id}`,
    content: <button type="button">In {id}</button>,
  }))
  return <Tabs label="Parts" items={items} selected={selected} onSelect={select} />
}
const selected = () => screen.getByRole('tab', { selected: true }).textContent

test('arrow keys switch tabs, Tab enters the panel', async () => {
  render(<Page />)
  screen.getByRole('tab', { name: 'Part a' }).focus()
  await userEvent.keyboard('{ArrowRight}')
  expect(selected()).toBe('Part b')
  await userEvent.tab()
  expect(document.activeElement?.textContent).toBe('In b')
  await userEvent.tab({ shift: true })
  await userEvent.keyboard('{End}')
  expect(selected()).toBe('Part c')
})
