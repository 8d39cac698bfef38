/** Messages of a copy button. */
export const copyTexts = {
  copied: (what: string) => `${what} copied`,
  notCopied: 'This browser does not let the page copy. Select the text and copy it.',
} as const
