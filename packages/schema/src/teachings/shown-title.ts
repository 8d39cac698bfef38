import { formatDate } from '../dates.ts'
import type { Teaching } from './teachings.schema.ts'

/** SPEC §2: underscores are displayed as spaces. A teaching without a title goes by its scripture. */
export const shownTitle = ({
  title,
  scriptureReference,
}: Pick<Teaching, 'title' | 'scriptureReference'>): string =>
  withSpaces(title) || (scriptureReference ?? '') || 'Untitled'

/** Underscores as spaces. */
export const withSpaces = (text: string): string => text.replaceAll('_', ' ').trim()

/** What people tell one teaching from another by: 'Hope in Christ, John Smith, 22 November 2026'. */
export const nameOfTeaching = (
  teaching: Pick<Teaching, 'title' | 'scriptureReference' | 'speaker' | 'date'>,
): string => `${shownTitle(teaching)}, ${teaching.speaker}, ${formatDate(teaching.date)}`
