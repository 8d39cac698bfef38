/*
 * The required properties of structured data, by type: written down from schema.org's definitions, and from Google's pages on carousels
 * (ListItem: position, and url or name), local businesses (name, address) and events (name,
 * location). An event that repeats has a schedule in place of a start, as schema.org asks.
 */

type Value = unknown
type Rule = (value: Value, owner: Readonly<Record<string, Value>>) => boolean
interface TypeRules {
  required: Readonly<Record<string, Rule>>
  optional?: Readonly<Record<string, Rule>>
}

const text: Rule = (value) => typeof value === 'string' && value.trim() !== '' && !/<[a-z]/i.test(value)
const address: Rule = (value) =>
  typeof value === 'string' && URL.canParse(value) && /^https?:\/\//.test(value)
const count: Rule = (value) => Number.isInteger(value) && (value as number) >= 0
const day: Rule = (value) =>
  /^\d{4}-\d\d-\d\d$/.test(String(value)) && !Number.isNaN(Date.parse(String(value)))
/** With the distance from UTC. */
const moment: Rule = (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[+-]\d\d:\d\d$/.test(String(value))
const span: Rule = (value) => /^P(?:\d+W|T(?=\d)(?:\d+H)?(?:\d+M)?(?:\d+S)?)$/.test(String(value))
const clock: Rule = (value) => /^[0-2]\d:[0-5]\d:[0-5]\d$/.test(String(value))
const language: Rule = (value) => /^[a-z]{2}(?:-[A-Z]{2})?$/.test(String(value))
const within =
  (most: number): Rule =>
  (value) =>
    typeof value === 'number' && Math.abs(value) <= most
const oneOf =
  (...types: readonly string[]): Rule =>
  (value) =>
    types.includes((value as { '@type'?: string } | undefined)?.['@type'] ?? '')
const each =
  (rule: Rule): Rule =>
  (value, owner) =>
    Array.isArray(value) && value.every((member) => rule(member, owner))
/** Refers to a part of the same document. */
const reference: Rule = (value) => address((value as { '@id'?: string } | undefined)?.['@id'], {})
/** The places of a list from 1 on. */
const inOrder =
  (place: string): Rule =>
  (value) =>
    Array.isArray(value) && value.every((member: Record<string, unknown>, at) => member[place] === at + 1)
const all =
  (...rules: readonly Rule[]): Rule =>
  (value, owner) =>
    rules.every((rule) => rule(value, owner))

const types: Readonly<Record<string, TypeRules>> = {
  Church: {
    required: {
      name: text,
      address: oneOf('PostalAddress'),
      geo: oneOf('GeoCoordinates'),
      url: address,
      image: address,
    },
    optional: {
      description: text,
      logo: address,
      hasMap: address,
      isAccessibleForFree: (value) => typeof value === 'boolean',
      event: oneOf('Event'),
    },
  },
  PostalAddress: {
    required: {
      streetAddress: text,
      addressLocality: text,
      addressCountry: (value) => /^[A-Z]{2}$/.test(String(value)),
    },
    optional: { postalCode: text },
  },
  GeoCoordinates: { required: { latitude: within(90), longitude: within(180) } },
  // A service that repeats has a schedule, a date of an event its start and end.
  Event: {
    required: {
      name: text,
      location: (value, owner) =>
        'eventSchedule' in owner
          ? reference(value, owner)
          : oneOf('Place')(value, owner) && 'startDate' in owner && 'endDate' in owner,
    },
    optional: {
      eventSchedule: oneOf('Schedule'),
      startDate: moment,
      endDate: (value, owner) =>
        moment(value, owner) && Date.parse(String(value)) > Date.parse(String(owner['startDate'])),
      eventStatus: (value) => /^https:\/\/schema\.org\/Event(?:Scheduled|Cancelled)$/.test(String(value)),
      eventAttendanceMode: (value) => value === 'https://schema.org/OfflineEventAttendanceMode',
      description: text,
      organizer: oneOf('Organization'),
      url: address,
    },
  },
  Place: { required: { name: text, address: oneOf('PostalAddress') } },
  Schedule: {
    required: {
      repeatFrequency: span,
      byDay: (value) => /^https:\/\/schema\.org\/[A-Z][a-z]+day$/.test(String(value)),
      startTime: clock,
      scheduleTimezone: (value) => Intl.supportedValuesOf('timeZone').includes(String(value)),
    },
  },
  AudioObject: {
    required: {
      name: text,
      description: text,
      url: address,
      uploadDate: day,
      datePublished: day,
      author: oneOf('Person'),
      publisher: oneOf('Organization'),
      isPartOf: each(oneOf('PodcastSeries')),
    },
    optional: {
      contentUrl: address,
      // Of the file that the address leads to.
      contentSize: (value, owner) => /^[1-9]\d*$/.test(String(value)) && 'contentUrl' in owner,
      encodingFormat: (value) => /^audio\/[\w.+-]+$/.test(String(value)),
      duration: span,
      inLanguage: language,
    },
  },
  CollectionPage: {
    required: { name: text, description: text, url: address, mainEntity: oneOf('ItemList') },
    optional: { inLanguage: language, publisher: oneOf('Organization') },
  },
  ItemList: {
    required: {
      itemListElement: all(each(oneOf('ListItem')), inOrder('position')),
      numberOfItems: (value, { itemListElement }) =>
        count(value, {}) && (value as number) >= (itemListElement as unknown[]).length,
    },
  },
  ListItem: {
    // An address with a name, or the item itself.
    required: {
      position: (value, owner) =>
        count(value, {}) && ('item' in owner || ('name' in owner && 'url' in owner)),
    },
    optional: { name: text, url: address, item: oneOf('Event') },
  },
  PodcastSeries: {
    required: { name: text, webFeed: address },
    optional: {
      description: text,
      url: address,
      image: address,
      inLanguage: language,
      publisher: oneOf('Organization'),
      hasPart: all(each(oneOf('PodcastEpisode')), inOrder('episodeNumber')),
    },
  },
  PodcastEpisode: { required: { name: text, url: address, episodeNumber: count } },
  Organization: { required: { name: text, url: address } },
  Person: { required: { name: text } },
}

/** The faults of structured data with their places; none if it follows the rules of its types. */
export function jsonLdFaults(data: unknown, where = ''): string[] {
  if (Array.isArray(data)) return data.flatMap((member, at) => jsonLdFaults(member, `${where}[${at}]`))
  if (typeof data !== 'object' || data === null) return []
  const { '@type': type, '@context': context, '@id': id, ...members } = data as Record<string, unknown>
  const faults: string[] = []
  if (where === '' && context !== 'https://schema.org') faults.push('@context is not schema.org')
  if (id !== undefined && !address(id, {})) faults.push(`${where}@id is no address`)
  if (type === undefined) return id === undefined ? [...faults, `${where} has no type`] : faults
  const known = typeof type === 'string' ? types[type] : undefined
  if (typeof type !== 'string' || !known)
    return [...faults, `${where} is of an unknown type: ${JSON.stringify(type)}`]
  const rules = { ...known.required, ...known.optional }
  for (const name of Object.keys(known.required))
    if (members[name] === undefined) faults.push(`${where}${type} has no ${name}`)
  for (const [name, value] of Object.entries(members)) {
    const at = `${where}${type}.${name}`
    if (!rules[name]) faults.push(`${at} is unknown`)
    else if (!rules[name](value, members)) faults.push(`${at} is wrong: ${JSON.stringify(value)}`)
    faults.push(...jsonLdFaults(value, `${at} `))
  }
  return faults
}
