import { counted } from '../counted.ts'
import type { ScriptureProblem } from '../scripture.ts'
import { teachingTexts } from '../teachings/teachings.texts.ts'
import { audioExtensions, maxFileNameLength } from './uploads.limits.ts'

const whole = '2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3'

/** Messages of the filename convention: each names the rule and shows a valid example. */
export const fileNameTexts = {
  tooLong: `Name must not be longer than ${maxFileNameLength} characters, such as ${whole}.`,
  hiddenCharacters: `Name must not hold control characters or characters that turn the direction of text. Type it again, such as ${whole}.`,
  noDate: 'Name must start with a date such as 2026-11-22, year first, followed by an underscore.',
  notADate: (text: string) => `${text} isn’t a real date. Name must start with a date such as 2026-11-22.`,
  noSpeaker:
    'Name must give the speaker after the date, first and last name joined by a hyphen, such as 2026-11-22_John-Smith.',
  namesNotJoined:
    'First and last name of the speaker must be joined by a hyphen, such as John-Smith; a title must stand between quotes, such as "Hope in Christ".',
  speakerTooLong: (limit: number) =>
    `Speaker must not be longer than ${limit} characters, such as John-Smith.`,
  noTitleOrScripture: `${teachingTexts.titleOrScriptureRequired}. Name must hold one of them or both, such as ${whole}.`,
  titleNotQuoted:
    "Title must stand between quotes, such as 2026-11-22_John-Smith\"Hope in Christ\".mp3. Where quotes cannot be typed, write two apostrophes on each side: ''Hope in Christ''.",
  illegalCharacters: (part: 'Title' | 'Speaker') =>
    `${part} must not hold characters that are not allowed in file names (< > : | ? * / \\), such as ${whole}.`,
  titleTooLong: (limit: number) =>
    `Title must not be longer than ${limit} characters, such as "Hope in Christ".`,
  scripture: (problem: ScriptureProblem) =>
    `${scriptureReason(problem)}, such as Romans_8_28-39 or Genesis_1_26-2_3.`,
  scriptureTooLong: (limit: number) =>
    `Scripture must not be longer than ${limit} characters, such as Romans_8_28-39.`,
  extension: `Name must end in ${audioExtensions
    .map((e) => `.${e}`)
    .join(', ')
    .replace(/, (?=[^,]*$)/, ' or ')}, such as ${whole}.`,
} as const

function scriptureReason(problem: ScriptureProblem): string {
  const rule = 'Scripture must be written Book_Chapter_StartVerse-EndVerse'
  switch (problem.kind) {
    case 'book':
      return `"${capitalized(problem.book)}" is not a book of the Bible. ${rule}`
    case 'chapter':
      return `${problem.book} has ${counted(problem.chapters, 'chapter')}. ${rule}`
    case 'verse':
      return `${problem.book} ${problem.chapter} has ${counted(problem.verses, 'verse')}. ${rule}`
    case 'order':
      return `The last verse must not come before the first. ${rule}`
    case 'form':
      return rule
  }
}

/** The reference parser lower-cases names: 'hezekiah' → 'Hezekiah'. */
const capitalized = (name: string): string => name.replace(/\b[a-z]/g, (letter) => letter.toUpperCase())
