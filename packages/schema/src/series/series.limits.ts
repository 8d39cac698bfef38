/** Lengths of columns; teachings of a series, and series in all, deleted ones included. */
export const seriesLimits = {
  title: 200,
  description: 2_000,
  slug: 100,
  teachings: 500,
  all: 2_000,
  imageUrl: 500,
} as const

/** Days in which a deleted series can be restored. */
export const seriesBinDays = 30
