/** The text of one teaching, as a file and as sentences. */
export const transcriptLimits = {
  fileBytes: 2 * 1024 * 1024,
  lines: 100_000,
  sentences: 10_000,
  /** Characters of a sentence, and of all together. */
  sentence: 1_000,
  all: 600_000,
  voice: 100,
  language: 35,
  /** Times, in milliseconds: no recording is longer than a day. */
  time: 24 * 60 * 60_000,
  /** Earlier versions of a text in the bin; older ones are removed before their time. */
  versions: 20,
} as const

export const transcriptBinDays = 30
