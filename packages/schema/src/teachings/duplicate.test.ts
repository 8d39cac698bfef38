import { describe, expect, test } from 'vitest'
import { isSameTeaching } from './duplicate.ts'

const known = {
  title: 'Hope in Christ',
  speaker: 'John Smith',
  date: '2026-11-22',
  scriptureReference: 'Romans 8:28-39',
}

describe('a different teaching', () => {
  test.each([
    { date: '2026-11-15' },
    { speaker: 'John Smithson' },
    { title: 'Hope', scriptureReference: 'Romans 8:28' },
    { title: 'Hope', scriptureReference: null },
    { title: 'Another title' },
    { title: 'Hope in Christ, part 2' },
    { title: 'Hope in Christ', speaker: 'Ruth Smith' },
    { title: '', scriptureReference: '' },
    { title: '…', scriptureReference: '?' },
  ])('%j', (changed) => {
    expect(isSameTeaching(known, { ...known, ...changed })).toBe(false)
    expect(isSameTeaching({ ...known, ...changed }, known)).toBe(false)
  })

  test('two empty fields are not equal', () => {
    const bare = { ...known, title: '', scriptureReference: null }
    expect(isSameTeaching(bare, bare)).toBe(false)
    expect(isSameTeaching({ ...bare, scriptureReference: '' }, bare)).toBe(false)
  })
})

describe('the same teaching', () => {
  test.each([
    {},
    { title: 'hope_in  CHRIST!' },
    { speaker: 'john smith' },
    { speaker: 'Jöhn  Smith' },
    { date: ' 2026-11-22 ' },
    { scriptureReference: null },
    { scriptureReference: 'John 3:16' },
    { title: '', scriptureReference: 'Rom_8_28-39' },
    { title: '', scriptureReference: 'romans 8.28–39' },
    // The library shows the passage as the title of a teaching without one.
    { title: 'Romans 8:28-39', scriptureReference: 'Romans 8:28-39' },
  ])('%j', (changed) => {
    expect(isSameTeaching(known, { ...known, ...changed })).toBe(true)
    expect(isSameTeaching({ ...known, ...changed }, known)).toBe(true)
  })

  test('scripture that is no reference is compared as text', () => {
    const various = { ...known, title: '', scriptureReference: 'Various passages' }
    expect(isSameTeaching(various, { ...various, scriptureReference: 'various_passages' })).toBe(true)
    expect(isSameTeaching(various, { ...various, scriptureReference: 'other passages' })).toBe(false)
  })
})
