/** Lengths of columns and texts, and pages in all: every device stores them. */
export const pageLimits = {
  title: 100,
  slug: 60,
  text: 20_000,
  imageUrl: 500,
  all: 50,
  line: 200,
  words: 3_000,
  list: 30,
} as const
