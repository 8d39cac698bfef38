import { foldedWords } from '../text-folding.ts'
import { shownTitle } from './shown-title.ts'
import type { SavedTeaching } from './saved-teaching.ts'
import type { Teaching } from './teachings.schema.ts'

/** Characters of the title in an address. */
const longestTitle = 60

/**
 * The path of a teaching's own page: '/teaching/2026-11-22-hope-in-christ-0000000000ab'. Date and title are for people and
 * follow every change; the last twelve digits of the uid find the teaching, so that earlier addresses still lead to it.
 */
export function teachingPath(
  teaching: Pick<Teaching, 'uid' | 'date' | 'title' | 'scriptureReference'>,
): string {
  const title = shortened(wordsOf(shownTitle(teaching)))
  return `/teaching/${[...wordsOf(teaching.date), ...title, keyOf(teaching)].join('-')}`
}

/** The digits that identify a teaching in a path; undefined if it is not the address of one. */
export const teachingKey = (pathname: string): string | undefined =>
  /^\/teaching\/(?:[^/]*-)?([0-9a-f]{12})\/?$/i.exec(pathname)?.[1]?.toLowerCase()

/** The teaching of a path. If two have the same digits, the one with exactly this address, else the newest. */
export function teachingAt<Row extends SavedTeaching>(
  rows: readonly Row[],
  pathname: string,
): Row | undefined {
  const key = teachingKey(pathname)
  if (key === undefined) return undefined
  const named = rows.filter((row) => keyOf(row) === key)
  return named.find((row) => teachingPath(row) === pathname) ?? named[0]
}

/** The digits of a teaching in its address. */
export const keyOf = ({ uid }: Pick<Teaching, 'uid'>): string => uid.slice(-12).toLowerCase()

/** In letters that every address bar shows as they are; words of other scripts are left out. */
const wordsOf = (text: string) => foldedWords(text).filter((word) => /^[a-z0-9]+$/.test(word))

function shortened(words: readonly string[]): string[] {
  const kept: string[] = []
  let length = 0
  for (const word of words) {
    length += word.length + 1
    if (length > longestTitle) break
    kept.push(word)
  }
  return kept
}
