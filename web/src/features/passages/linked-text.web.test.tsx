import type { Passage } from '@fellowship/schema/passages/passages.contract'
import { act, fireEvent, render, screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { describe, expect, test, vi } from 'vitest'
import { popoverTimings } from '../../ui/timings.ts'
import { LinkedText } from './linked-text.tsx'

const passage = (reference: string): [string, Passage] => [
  reference,
  {
    uid: '00000000-0000-4000-8000-000000000001',
    rev: 1,
    reference,
    text: `The words of ${reference}.`,
    translation: 'Sample',
    copyrightLine: '© Sample Publisher',
  },
]
const passages = new Map(['John 3:16', 'Romans 8:28-39'].map(passage))
const show = (text: string) =>
  render(
    <p data-testid="text">
      <LinkedText text={text} passages={passages} />
    </p>,
  )
const trigger = (name: string) => screen.getByRole('button', { name })
const open = () => screen.queryAllByRole('dialog').map((dialog) => dialog.textContent)
const pass = (ms: number) =>
  act(() => {
    vi.advanceTimersByTime(ms)
  })
const mouse = { pointerType: 'mouse' }

describe('plain text', () => {
  test.each(['nothing to see', 'John 3:17', 'Genesis 1:26-2:3', 'this is 1:16 pm'])('%s', (text) => {
    show(text)
    expect(screen.queryAllByRole('button')).toEqual([])
    expect(screen.getByTestId('text').textContent).toBe(text)
  })
})

test('leaves the text around the references unchanged', () => {
  show('See John 3:16, and Romans 8:28-39.')
  expect(screen.getByTestId('text').textContent).toBe('See John 3:16, and Romans 8:28-39.')
  expect(screen.getAllByRole('button')).toHaveLength(2)
})

test('closes 150 ms after the pointer left', () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    show('John 3:16')
    fireEvent.pointerEnter(trigger('John 3:16'), mouse)
    expect(open()).toEqual(['John 3:16The words of John 3:16.© Sample Publisher'])
    fireEvent.pointerLeave(trigger('John 3:16'), mouse)
    pass(popoverTimings.hideDelayMs - 1)
    fireEvent.pointerEnter(screen.getByRole('dialog'), mouse)
    pass(1_000)
    expect(open()).toHaveLength(1)
    fireEvent.pointerLeave(screen.getByRole('dialog'), mouse)
    pass(popoverTimings.hideDelayMs)
    expect(open()).toEqual([])
  } finally {
    vi.useRealTimers()
  }
})

test('does not open as a hover on touch', () => {
  show('John 3:16')
  fireEvent.pointerEnter(trigger('John 3:16'), { pointerType: 'touch' })
  expect(open()).toEqual([])
})

test('a press outside closes it, one inside does not', () => {
  show('John 3:16')
  fireEvent.click(trigger('John 3:16'))
  fireEvent.pointerDown(screen.getByRole('dialog'), { pointerType: 'touch' })
  expect(open()).toHaveLength(1)
  fireEvent.pointerDown(screen.getByTestId('text'), { pointerType: 'touch' })
  expect(open()).toEqual([])
})

test('a click pins the popover until another one opens', () => {
  show('John 3:16 and Romans 8:28-39')
  fireEvent.click(trigger('John 3:16'))
  expect(trigger('John 3:16').getAttribute('aria-expanded')).toBe('true')
  expect(screen.getByRole('button', { name: 'Close' })).toBeTruthy()
  fireEvent.click(trigger('Romans 8:28-39'))
  expect(open()).toEqual(['Romans 8:28-39The words of Romans 8:28-39.© Sample Publisher'])
  fireEvent.keyDown(document, { key: 'Escape' })
  expect(open()).toEqual([])
  expect(document.activeElement).toBe(trigger('Romans 8:28-39'))
})

test('Tab opens it, and Escape closes it for good', async () => {
  show('John 3:16 and Romans 8:28-39')
  await userEvent.tab()
  expect(open()).toHaveLength(1)
  const described = trigger('John 3:16').getAttribute('aria-describedby')!
  expect(document.getElementById(described)?.textContent).toBe('The words of John 3:16.')
  await userEvent.keyboard('{Escape}')
  expect(open()).toEqual([])
  expect(document.activeElement).toBe(trigger('John 3:16'))
  await userEvent.keyboard('{Enter}')
  expect(document.activeElement).toBe(screen.getByRole('dialog'))
  await userEvent.keyboard('{Escape}')
  expect(open()).toEqual([])
  expect(document.activeElement).toBe(trigger('John 3:16'))
})

test.each([
  ['Close', () => userEvent.click(screen.getByRole('button', { name: 'Close' }))],
  ['its words', () => userEvent.click(trigger('John 3:16'))],
])('a press of %s closes it', async (_, press) => {
  show('John 3:16')
  await userEvent.click(trigger('John 3:16'))
  await userEvent.unhover(trigger('John 3:16'))
  expect(open()).toHaveLength(1)
  await press()
  expect(trigger('John 3:16').getAttribute('aria-expanded')).toBe('false')
})
