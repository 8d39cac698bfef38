/** Messages about the search in transcripts. */
export const spokenTexts = {
  contentId: 'Id must have 16 letters, digits, hyphens or underscores, as /api/spoken-search lists it.',
  outdated: 'This part of the index was replaced by a newer one. Read /api/spoken-search for its address.',
  noText: 'There is no approved text of this teaching.',
  notHere: 'It was said here. To find the minute, connect, or save this teaching with its text.',
  more: 'More teaching that says it',
  /** What the setting does; `size` of the whole index, if it is known. */
  hint: (size: string | undefined) =>
    `The library’s search finds the words of a teaching without a connection.${size ? ` ${size} for the whole library.` : ''}`,
  heading: (count: number) => `In what was said (${count})`,
} as const
