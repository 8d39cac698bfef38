import { formatDate, isPlainDate } from '@fellowship/schema/dates'
import { shownMoment } from '../../lib/shown-moment.ts'

/** Identifiers for programs, left out of the line because it shows a title or a name. */
const identifiers = ['id', 'uid', 'teaching', 'sha256']

/** The details of a line of the activity log in words: 'speaker: Jane Doe · date: 8 November 2026'. */
export const detailWords = (details: Readonly<Record<string, unknown>>): string =>
  Object.entries(details)
    .filter(([name]) => !identifiers.includes(name))
    .map(([name, value]) => [spaced(name), wordsOf(name, value)] as const)
    .filter(([, words]) => words !== '')
    .map(([name, words]) => `${name}: ${words}`)
    .join(' · ')

/** A list of changed fields is shown with the words of the forms. */
function wordsOf(name: string, value: unknown): string {
  if (Array.isArray(value)) {
    const isOfFields = name === 'fields' || name === 'changed'
    return value.map((each) => (isOfFields ? spaced(String(each)) : plain(each))).join(', ')
  }
  if (typeof value !== 'string') return plain(value)
  if (isPlainDate(value)) return formatDate(value)
  return name.endsWith('At') && !Number.isNaN(Date.parse(value)) ? shownMoment(value) : value
}

const plain = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

/** 'forChildren' → 'for children' */
const spaced = (name: string) =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`).replaceAll('_', ' ')
