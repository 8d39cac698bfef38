import { nameSlug } from '../teachings/name-slug.ts'

/**
 * The part of an address that a new series gets from its title: 'Hope in Hard Times' is 'hope-in-hard-times', the next
 * one of that title 'hope-in-hard-times-2'. It stays when the series is renamed, so that old links lead on.
 *
 * @param taken the slugs of other series, deleted ones included
 */
export function freeSlug(title: string, taken: ReadonlySet<string>): string {
  const base = slugBase(title)
  for (let number = 1; ; number += 1) {
    const slug = number === 1 ? base : `${base}-${number}`
    if (!taken.has(slug)) return slug
  }
}

/** The beginning of the slugs of all series with this title. */
export const slugBase = (title: string): string =>
  // By characters, as a cut inside one is no valid text.
  [...nameSlug(title)].slice(0, baseLength).join('').replace(/-$/, '') || 'series'

/** Leaves room for a number within the column. */
const baseLength = 80
