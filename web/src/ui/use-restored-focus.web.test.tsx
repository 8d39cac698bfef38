import { fireEvent, render, screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { useRef, useState, type ReactNode } from 'react'
import { expect, test } from 'vitest'
import { Modal } from './modal.tsx'
import { useRestoredFocus } from './use-restored-focus.ts'

function Names({ children = <List /> }: { children?: ReactNode }) {
  const main = useRef<HTMLElement>(null)
  useRestoredFocus(main)
  return (
    <main ref={main} tabIndex={-1}>
      {children}
    </main>
  )
}

function List() {
  const [names, setNames] = useState(['Anna', 'Ben', 'Cara'])
  const remove = (gone: string) => setNames(names.filter((name) => name !== gone))
  return (
    <>
      <button type="button">Add</button>
      {names.length > 0 && (
        <ul>
          {names.map((name) => (
            <li key={name}>
              <button type="button" onClick={() => remove(name)}>
                Delete {name}
              </button>
            </li>
          ))}
        </ul>
      )}
      <p>Below</p>
    </>
  )
}

const press = async (name: string) => {
  screen.getByRole('button', { name }).focus()
  await userEvent.keyboard('{Enter}')
}
const focused = () => document.activeElement?.textContent

const inDialog = (
  <Names>
    <Modal aria-label="Names" onClose={() => undefined}>
      <List />
    </Modal>
  </Names>
)

test.each([
  ['on the page', <Names key="page" />],
  ['in a dialog', inDialog],
])('%s: focuses the nearest row or button after a delete', async (_, names) => {
  render(names)
  await press('Delete Ben')
  await waitFor(() => expect(focused()).toBe('Delete Cara'))
  expect(document.activeElement?.tagName).toBe('LI')
  await press('Delete Cara')
  await waitFor(() => expect(focused()).toBe('Delete Anna'))
  await press('Delete Anna')
  await waitFor(() => expect(focused()).toBe('Add'))
})

test('does not restore the focus after a press elsewhere', async () => {
  render(<Names />)
  const button = screen.getByRole('button', { name: 'Delete Ben' })
  button.focus()
  fireEvent.pointerDown(screen.getByText('Below'))
  fireEvent.click(button)
  await waitFor(() => expect(screen.queryByText('Delete Ben')).toBeNull())
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(document.activeElement).toBe(document.body)
})

/** As that of a passage: no modal, which would take the focus itself. */
const popover = { role: 'dialog', tabIndex: -1 }

test('leaves the focus to a dialog over the page', async () => {
  render(
    <>
      <Names />
      <div {...popover} />
    </>,
  )
  await press('Delete Ben')
  await waitFor(() => expect(screen.queryByText('Delete Ben')).toBeNull())
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(document.activeElement).toBe(document.body)
})

test('a dialog in the page restores its own focus', async () => {
  const page = (dialog: ReactNode) => (
    <Names>
      <List />
      {dialog}
    </Names>
  )
  const { rerender } = render(page(<div {...popover} />))
  screen.getByRole('button', { name: 'Delete Ben' }).focus()
  screen.getByRole('dialog').focus()
  rerender(page(null))
  await new Promise((resolve) => setTimeout(resolve, 20))
  expect(document.activeElement).toBe(document.body)
})
