import { nkjv, passageFileLimits, passageLimits } from './passages.limits.ts'

/** Messages of the passage import. The sentence about a line names the rule and an example. */
export const passageTexts = {
  notStrict: (reference: string) =>
    `"${reference}" is not Book Chapter:Verse or Book Chapter:Verse-Verse. Right: Romans 8:28-39`,
  missing: (field: string) => `The field ${field} is empty.`,
  tooLong: (field: string) =>
    `The field ${field} is too long: at most ${passageLimits[field as keyof typeof passageLimits]} characters.`,
  repeated: (reference: string, line: number) => `${reference} stands in line ${line} already.`,
  fields: (found: number, expected: number) =>
    `This line has ${found} fields where ${expected} are expected.`,
  wrongQuote: 'A quotation mark is opened here and never closed.',
  noHeader: 'The first line must name the columns: reference,text,translation,copyright line (in any order).',
  fileTooLarge:
    `It is larger than ${passageFileLimits.megabytes} MB, which is several Bibles. Take the file of passages, or ` +
    'divide it into smaller ones.',
  tooManyPassages:
    `There are more than ${passageFileLimits.passages.toLocaleString('en-NZ')} lines or entries here. Divide the file ` +
    'into smaller ones.',
  notJson: 'This is not a JSON list of objects with reference, text, translation and copyrightLine.',
  counted: (count: number) => `${nkjv.shortName}: ${count} of ${nkjv.mostVerses} verses are quoted.`,
  tooManyVerses: (count: number) =>
    `${count} different verses of the ${nkjv.translation} would be quoted; without written permission of the ` +
    `publisher at most ${nkjv.mostVerses} may be.`,
  wholeBook: (book: string) =>
    `All of ${book} would be quoted from the ${nkjv.translation}; without written permission no whole book may be.`,
} as const
