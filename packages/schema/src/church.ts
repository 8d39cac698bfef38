import type { Site } from './site/site.contract.ts'

/** The value before the site's row has been read: it describes no church, and has the fields that are read this early. */
const unread = {
  rev: -1,
  name: '',
  shortName: '',
  description: '',
  address: { street: '', locality: '', postalCode: '', country: '', countryCode: '' },
  map: null,
  services: [],
  timeZone: 'UTC',
  language: 'en',
  contactEmail: '',
  accent: '#000000',
} as unknown as Site

let current = unread
const listeners = new Set<() => void>()

/**
 * This church, as an administrator described it. The server reads it from the database at its start and after each change, a
 * browser from the page. Call this at each use and store no copy, because it changes while the program runs.
 */
export const church = (): Site => current

export function setChurch(next: Site): void {
  current = next
  for (const listener of listeners) listener()
}

/** Calls back after each change; returns a function that stops it. */
export function onChurch(listener: () => void): () => void {
  listeners.add(listener)
  return () => void listeners.delete(listener)
}

/** The address in one line, as it is shown and as maps search for it. */
export const addressLine = ({ street, locality, postalCode, country }: Site['address']): string =>
  [street, `${locality} ${postalCode}`.trim(), country].filter((part) => part !== '').join(', ')

/** 'Sunday Service'; 'Services' if they are on several days. */
export const serviceTitle = ([first, ...others]: Site['services']): string =>
  first && others.every(({ weekday }) => weekday === first.weekday) ? `${first.weekday} Service` : 'Services'

/**
 * A format in the church's time zone, made once for each zone: making one takes longer than using it.
 *
 * @param locale the church's language by default
 */
export function churchFormat(
  options: Intl.DateTimeFormatOptions,
  locale?: string,
): () => Intl.DateTimeFormat {
  let made: { key: string; format: Intl.DateTimeFormat } | undefined
  return () => {
    const { timeZone, language } = current
    const key = `${timeZone} ${language}`
    if (made?.key !== key)
      made = { key, format: new Intl.DateTimeFormat(locale ?? language, { ...options, timeZone }) }
    return made.format
  }
}
