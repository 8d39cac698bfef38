import { describe, expect, test } from 'vitest'
import { nameOfTeaching, shownTitle } from './shown-title.ts'

describe('shownTitle', () => {
  test.each([
    [{ title: 'Hope_in_Christ', scriptureReference: 'Romans 8:28' }, 'Hope in Christ'],
    [{ title: '', scriptureReference: 'Romans 8:28' }, 'Romans 8:28'],
    [{ title: '_', scriptureReference: null }, 'Untitled'],
  ])('%j shows %s', (teaching, shown) => {
    expect(shownTitle(teaching)).toBe(shown)
  })
})

describe('nameOfTeaching', () => {
  test.each([
    [{ title: 'Hope_in_Christ', scriptureReference: null }, 'Hope in Christ, John Smith, 22 November 2026'],
    [{ title: '', scriptureReference: 'Romans 8:28' }, 'Romans 8:28, John Smith, 22 November 2026'],
  ])('%j is %s', (teaching, name) => {
    expect(nameOfTeaching({ ...teaching, speaker: 'John Smith', date: '2026-11-22' })).toBe(name)
  })
})
