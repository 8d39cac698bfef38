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
  dateAhead: (date: string) =>
    `This date is more than a day ahead: ${date}. Correct it, such as 2026-11-22, or confirm it in the fields.`,
  misread:
    'Name holds letters that were damaged on the way, such as Ã© for é. Correct the fields, or send it again under its right name.',
  entities: 'Name holds codes of a web page, such as &amp; for &. Check the fields.',
  noSpeaker:
    'Name must give the speaker after the date, first and last name joined by a hyphen, such as 2026-11-22_John-Smith.',
  namesNotJoined:
    'First and last name of the speaker must be joined by a hyphen, such as John-Smith; a title must stand between quotes, such as "Hope in Christ".',
  digitsInSpeaker:
    'Speaker must not hold digits. A time or a number has no place in the name; scripture stands at its end, such as 2026-11-22_John-Smith"Hope in Christ"_Romans_8.mp3.',
  serviceInSpeaker:
    'Speaker holds a word that is not part of a name, such as Morning or Sermon. Name must give first and last name alone, such as John-Smith.',
  strangeSpeaker:
    'Speaker must hold letters, spaces, hyphens and apostrophes alone, such as John-Smith; a title must stand between quotes, such as "Hope in Christ".',
  damagedCharacters: (part: 'Title' | 'Speaker' | 'Scripture') =>
    `${part} holds a character that was lost on the way, such as the \ufffd for an é. Type it again.`,
  scriptureInSpeaker:
    'Scripture must stand at the end of the name, after the title, such as 2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3.',
  copyNumber:
    'Name ends in a number after a space, such as the 2 of a second copy. Remove it, or write the verse with an underscore.',
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
