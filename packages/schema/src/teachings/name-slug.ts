import { foldedWords } from '../text-folding.ts'

/** A name as a part of an address: 'Māori O’Brien' is 'maori-obrien'. Empty if the name has no letter or digit. */
export const nameSlug = (name: string): string => foldedWords(name).join('-')
