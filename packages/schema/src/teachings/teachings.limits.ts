import { eachWord, teachingWords } from './teaching-words.ts'

/** Lengths of columns, and of what is searched for. */
export const teachingLimits = {
  ...eachWord((name): number => teachingWords[name].maxLength),
  audioUrl: 500,
  duration: 50,
  searchText: 200,
} as const

/** SPEC §9: rows shown at first, and added by 'Load More Teaching'. */
export const teachingPage = { initial: 5, increment: 5 } as const

/** SPEC §9: teaching list fresh 5 minutes, retained 10 minutes. */
export const teachingListFreshMs = 5 * 60_000
export const teachingListKeptMs = 10 * 60_000
