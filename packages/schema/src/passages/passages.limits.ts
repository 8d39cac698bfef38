/** Column lengths of the passage table; a passage's text is bounded so that no popover becomes a chapter. */
export const passageLimits = { reference: 255, translation: 100, copyrightLine: 1_000, text: 10_000 } as const

/**
 * What the publisher of the New King James Version lets anyone quote without asking: 500 verses in all, and never a
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

/** The text that stands in until a fellowship brings its own: public domain. */
export const kingJames = {
  translation: 'King James Version',
  copyrightLine: 'Scripture from the King James Version of 1769, which is in the public domain.',
} as const
