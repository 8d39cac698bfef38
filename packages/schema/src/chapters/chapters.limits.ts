/** Chapters of one recording, and characters of a title. */
export const chapterLimits = { most: 100, title: 120 } as const
