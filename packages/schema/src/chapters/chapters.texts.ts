import { chapterLimits as limits } from './chapters.limits.ts'

/** Messages of chapters. */
export const chapterTexts = {
  line: (number: number) =>
    `Chapters need a time such as 12:30 or 1:02:30, and a title of at most ${limits.title} characters: correct number ${number}.`,
  order: (number: number) =>
    `Chapters need times in order: number ${number} does not begin after the one before it.`,
  tooMany: `Chapters are limited to ${limits.most} for a recording. Remove some.`,
  oneTeaching: 'Chapters can say once only that the teaching starts there.',
  beyond: (title: string) =>
    `Chapters begin before the recording ends: “${title}” does not. Correct its time.`,
  teaching: 'Teaching starts here',
  skip: 'Skip to the teaching',
  gone: 'This teaching has no chapters.',
} as const
