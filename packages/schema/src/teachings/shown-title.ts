import type { Teaching } from './teachings.schema.ts'

/** SPEC §2: underscores are displayed as spaces. A teaching without a title goes by its scripture. */
export const shownTitle = ({
  title,
  scriptureReference,
}: Pick<Teaching, 'title' | 'scriptureReference'>): string =>
  withSpaces(title) || (scriptureReference ?? '') || 'Untitled'

/** Underscores as spaces. */
export const withSpaces = (text: string): string => text.replaceAll('_', ' ').trim()
