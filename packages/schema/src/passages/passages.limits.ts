import type { NewPassage } from './passages.contract.ts'

/** Column lengths of the passage table; the text is bounded so that a popover stays readable. */
export const passageLimits = {
  reference: 255,
  translation: 100,
  copyrightLine: 1_000,
  text: 10_000,
} as const satisfies Record<keyof NewPassage, number>

/** A file of passages: the whole Bible has 31,102 verses and about 5 MB. */
export const passageFileLimits = { megabytes: 32, passages: 100_000 } as const

/**
 * Limits of the publisher of the New King James Version if there is no written permission: 500 verses in all, and never a
 * whole book.
 */
export const nkjv = {
  translation: 'New King James Version',
  shortName: 'NKJV',
  mostVerses: 500,
  copyrightLine:
    'Scripture taken from the New King James Version®. Copyright © 1982 by Thomas Nelson. ' +
    'Used by permission. All rights reserved.',
} as const

/** The default translation, until a fellowship imports its own: public domain. */
export const kingJames = {
  translation: 'King James Version',
  copyrightLine: 'Scripture from the King James Version of 1769, which is in the public domain.',
} as const
