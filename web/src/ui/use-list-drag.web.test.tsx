import { act, fireEvent, render, screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { useListDrag } from './use-list-drag.ts'

/** Three rows of no height, as nothing is laid out here: a place above all of them is the first one. */
function show() {
  const moves: [string, number][] = []
  function Rows() {
    const { list, drag, handle } = useListDrag((key, to) => moves.push([key, to]))
    return (
      <>
        <ol ref={list}>
          {['a', 'b', 'c'].map((key, at) => (
            <li key={key}>
              <button type="button" {...handle(key, at)}>
                {key}
              </button>
            </li>
          ))}
        </ol>
        <output>{drag ? `${drag.key} to ${drag.place}` : 'still'}</output>
      </>
    )
  }
  render(<Rows />)
  return moves
}
const handle = (key: string) => screen.getByRole('button', { name: key })
const state = () => screen.getByRole('status').textContent
const above = { clientY: -1 }

test('Escape cancels a drag', () => {
  const moves = show()
  fireEvent.pointerDown(handle('c'))
  fireEvent.pointerMove(handle('c'), above)
  expect(state()).toBe('c to 0')
  fireEvent.keyDown(handle('c'), { key: 'Escape' })
  expect(state()).toBe('still')
  fireEvent.pointerUp(handle('c'), above)
  expect(moves).toEqual([])
})

test('a press without a move moves nothing', () => {
  const moves = show()
  fireEvent.pointerDown(handle('c'))
  fireEvent.pointerUp(handle('c'))
  fireEvent.pointerDown(handle('b'), { button: 2 })
  fireEvent.pointerMove(handle('b'), above)
  fireEvent.pointerUp(handle('b'), above)
  expect(moves).toEqual([])
})

test('moves a row by dragging and by arrow keys', () => {
  const moves = show()
  fireEvent.pointerDown(handle('c'))
  fireEvent.pointerMove(handle('c'), above)
  fireEvent.pointerUp(handle('c'), above)
  fireEvent.keyDown(handle('a'), { key: 'ArrowDown' })
  expect(moves).toEqual([
    ['c', 0],
    ['a', 1],
  ])
})

test('drops a row before its last move is rendered', () => {
  const moves = show()
  fireEvent.pointerDown(handle('c'))
  act(() => {
    for (const name of ['pointermove', 'pointerup'])
      handle('c').dispatchEvent(new PointerEvent(name, { ...above, bubbles: true }))
  })
  expect(moves).toEqual([['c', 0]])
  expect(state()).toBe('still')
})
