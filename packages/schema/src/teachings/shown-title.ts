import { formatDate } from '../dates.ts'
import type { Teaching } from './teachings.schema.ts'

/** The title with underscores displayed as spaces. A teaching without a title shows its scripture. */
export const shownTitle = ({
  title,
  scriptureReference,
}: Pick<Teaching, 'title' | 'scriptureReference'>): string =>
  withSpaces(title) || (scriptureReference ?? '') || 'Untitled'

/** Replaces underscores by spaces. */
export const withSpaces = (text: string): string => text.replaceAll('_', ' ').trim()

/** A name that identifies a teaching for people: 'Hope in Christ, John Smith, 22 November 2026'. */
export const nameOfTeaching = (
  teaching: Pick<Teaching, 'title' | 'scriptureReference' | 'speaker' | 'date'>,
): string => `${shownTitle(teaching)}, ${teaching.speaker}, ${formatDate(teaching.date)}`
