import { beforeEach, expect, test } from 'vitest'
import { dropDraft, readDraft, writeDraft } from './drafts.ts'

const day = 86_400_000
const now = 1_800_000_000_000
const key = (uid: string, owner: number | undefined = 7) => ({ owner, kind: 'series', uid })
const draft = (at: number) => ({ at, row: { title: 'Hope' }, words: { title: 'Faith' } })

beforeEach(() => localStorage.clear())

test('another person does not get the words', () => {
  writeDraft(key('a'), draft(now))
  expect(readDraft(key('a', 8), now)).toBeUndefined()
  expect(readDraft({ ...key('a'), owner: undefined }, now)).toBeUndefined()
  expect(readDraft(key('a'), now)).toEqual(draft(now))
  dropDraft(key('a'))
  expect(readDraft(key('a'), now)).toBeUndefined()
})

test('ignores damaged drafts', () => {
  for (const stored of ['{', '"words"', '{"at":1}', `{"at":${now},"row":[],"words":{}}`]) {
    localStorage.setItem('draft:7:series:a', stored)
    expect(readDraft(key('a'), now)).toBeUndefined()
  }
})

test('deletes drafts after 30 days', () => {
  writeDraft(key('a'), draft(now))
  expect(readDraft(key('a'), now + 30 * day)).toBeDefined()
  expect(readDraft(key('a'), now + 31 * day)).toBeUndefined()
  writeDraft(key('b'), draft(now + 31 * day))
  expect(Object.keys(localStorage)).toEqual(['draft:7:series:b'])
})

test('stores the newest 20 drafts at most', () => {
  localStorage.setItem('other', '1')
  for (let n = 0; n < 25; n += 1) writeDraft(key(`${n}`), draft(now + n))
  expect(localStorage.length).toBe(21)
  expect(readDraft(key('4'), now + 25)).toBeUndefined()
  expect(readDraft(key('5'), now + 25)).toBeDefined()
})
