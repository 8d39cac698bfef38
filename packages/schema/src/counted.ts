/** A count with its noun, as a sentence says it: '1 file', '2 files', '0 files'. For nouns that take a plain s. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`
