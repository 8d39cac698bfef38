import { describe, expect, it } from 'vitest'
import { shownTitle } from './shown-title.ts'

describe('shownTitle', () => {
  it.each([
    [{ title: 'Hope_in_Christ', scriptureReference: 'Romans 8:28' }, 'Hope in Christ'],
    [{ title: '', scriptureReference: 'Romans 8:28' }, 'Romans 8:28'],
    [{ title: '_', scriptureReference: null }, 'Untitled'],
  ])('%j shows %s', (teaching, shown) => {
    expect(shownTitle(teaching)).toBe(shown)
  })
})
