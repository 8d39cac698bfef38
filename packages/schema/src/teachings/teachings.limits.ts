import { eachWord, teachingWords } from './teaching-words.ts'

/** Lengths of columns, and of queries. */
export const teachingLimits = {
  ...eachWord((name): number => teachingWords[name].maxLength),
  audioUrl: 500,
  duration: 50,
  searchText: 200,
} as const

/** Results of a search by the API, and searches per address that are not answered from memory. */
export const searchResults = 200
export const searchRate = { attempts: 300, perMinutes: 1 } as const

/** Rows shown at first, and added by 'Load More Teaching'. */
export const teachingPage = { initial: 5, increment: 5 } as const

/** The teaching list is fresh for 5 minutes and cached for 10. */
export const teachingListFreshMs = 5 * 60_000
export const teachingListKeptMs = 10 * 60_000

/** Days that a deleted teaching and its recording can be restored. */
export const binDays = 30
/** Minutes in which a person can undo a deletion of their own. */
export const undoMinutes = 10
