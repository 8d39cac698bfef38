/**
 * Lengths of columns; teachings of a series; series in all, and their teachings together, deleted series included, because
 * every device stores them.
 */
export const seriesLimits = {
  title: 200,
  description: 2_000,
  slug: 100,
  teachings: 500,
  all: 2_000,
  allTeachings: 20_000,
  /** Bytes of all titles and descriptions. */
  allWords: 1_000_000,
  imageUrl: 500,
} as const

/** Changes of one person, over all devices. */
export const seriesRate = { attempts: 120, perMinutes: 1 } as const

/** Days in which a deleted series can be restored. */
export const seriesBinDays = 30
