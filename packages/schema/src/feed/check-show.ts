import type { HealthLine } from '../system/system.contract.ts'
import { directoryArtwork, directoryDescriptionBytes } from './feed.limits.ts'

/*
 * The podcast feed as a podcast app receives it: its contents, and how its URLs responded.
 */

/** Contents of the channel element; empty strings for absent ones. */
export interface ShowFacts {
  readonly title: string
  readonly description: string
  readonly language: string
  readonly category: string
  readonly explicit: string
  readonly link: string
  readonly author: string
  readonly ownerEmail: string
  /** The URL that the feed names as its own. */
  readonly self: string
  /** Its GUID in the podcast namespace. */
  readonly guid: string
}

export interface ArtworkFacts {
  readonly address: string
  /** HTTP status; 0 without a response, or for a URL of another site. */
  readonly status: number
  /** Format by content; undefined when it is no image. */
  readonly picture: { kind: string; width: number; height: number; colours: string } | undefined
}

/** Contents of an item; empty strings for absent ones. */
export interface EpisodeFacts {
  readonly title: string
  readonly guid: string
  readonly pubDate: string
  readonly duration: string
  readonly url: string
  readonly length: string
  readonly type: string
  /** HEAD of its recording. The status is 0 without a response, or for a URL of another site. */
  readonly answer: { readonly status: number; readonly length: string }
  /** The status of a Range request for its first two bytes; undefined when not requested. */
  readonly rangeStatus: number | undefined
}

/** Checks of the channel. */
export const checkShow = (show: ShowFacts, address: string): HealthLine[] => [
  requiredLine(show),
  recommendedLine(show, address),
  ownerLine(show),
  identityLine(show),
]

const inProfile = 'These texts are in the site’s profile; ask whoever runs the server to correct them.'

function requiredLine(show: ShowFacts): HealthLine {
  const { title, description, language, category, explicit } = show
  const bytes = encodeURIComponent(description).replaceAll(/%../g, 'x').length
  const faults = [
    ...missing({ title, description, language, category }),
    ...(bytes > directoryDescriptionBytes
      ? [`a description of at most ${directoryDescriptionBytes} bytes`]
      : []),
    ...(/^[a-z]{2,3}(-[a-z]{2})?$/i.test(language) || language === ''
      ? []
      : ['a language code such as “en”']),
    ...(explicit === 'true' || explicit === 'false' ? [] : ['whether it is explicit: “true” or “false”']),
  ]
  const line = { id: 'show', label: 'About the podcast' }
  return faults.length > 0
    ? { ...line, state: 'bad', sentence: `What is missing: ${faults.join('; ')}.`, advice: inProfile }
    : {
        ...line,
        state: 'good',
        sentence: 'Title, description, language, category and rating are there.',
        advice: '',
      }
}

function recommendedLine({ link, author, self }: ShowFacts, address: string): HealthLine {
  const faults = [
    ...missing({ 'a link to the site': link, 'an author': author }),
    ...(self === address ? [] : ['the feed’s own address']),
  ]
  const line = { id: 'details', label: 'Details' }
  return faults.length > 0
    ? { ...line, state: 'attention', sentence: `What is missing: ${faults.join('; ')}.`, advice: inProfile }
    : { ...line, state: 'good', sentence: 'Author, link and the feed’s own address are there.', advice: '' }
}

function ownerLine({ ownerEmail }: ShowFacts): HealthLine {
  const line = { id: 'owner', label: 'Owner' }
  return ownerEmail === ''
    ? {
        ...line,
        state: 'attention',
        sentence: 'The feed names no email address. Directories write to it to verify the owner.',
        advice: 'Ask whoever runs the server to set CONTACT_EMAIL to an address that the elders read.',
      }
    : { ...line, state: 'good', sentence: `Directories write to ${ownerEmail}.`, advice: '' }
}

function identityLine({ guid }: ShowFacts): HealthLine {
  const line = { id: 'identity', label: 'Identity' }
  return guid === ''
    ? {
        ...line,
        state: 'attention',
        sentence: 'The podcast has no permanent identifier yet.',
        advice: 'It gets one as soon as the public address (PUBLIC_URL) is set.',
      }
    : {
        ...line,
        state: 'good',
        sentence: 'The podcast has a permanent identifier, and keeps it if the site moves.',
        advice: '',
      }
}

/** Apple's guide for podcasters: JPEG or PNG, RGB, square, the right ending, and HEAD is answered. */
export function checkArtwork({ address, status, picture }: ArtworkFacts): HealthLine {
  const line = { id: 'artwork', label: 'Picture' }
  const { least, most } = directoryArtwork
  const advice = `It must be a square JPEG or PNG of ${least} to ${most} pixels. Ask whoever runs the server to restore it.`
  const bad = (sentence: string): HealthLine => ({ ...line, state: 'bad', sentence, advice })
  if (address === '') return bad('The feed has no image.')
  if (status !== 200) return bad(`The picture does not come: ${address} ${answered(status)}.`)
  if (!picture) return bad(`What is at ${address} is no picture.`)
  const { kind, width, height, colours } = picture
  const sizes = `${width} × ${height} pixels`
  const endings = kind === 'jpeg' ? /\.jpe?g$/ : kind === 'png' ? /\.png$/ : undefined
  if (!endings) return bad(`The picture is neither a JPEG nor a PNG, but ${kind}.`)
  if (!endings.test(address))
    return bad(`The picture is a ${kind.toUpperCase()}, and its address ends otherwise.`)
  if (colours !== 'srgb') return bad(`The picture’s colours are ${colours}, not RGB.`)
  if (width !== height) return bad(`The picture is not square: ${sizes}.`)
  if (width < least || width > most) return bad(`The picture has ${sizes}.`)
  return { ...line, state: 'good', sentence: `A square ${kind.toUpperCase()} of ${sizes}.`, advice: '' }
}

/** 'answers with the status 404', or that there was no response. */
export const answered = (status: number): string =>
  status === 0 ? 'does not answer' : `answers with the status ${status}`

const missing = (wanted: Record<string, string>): string[] =>
  Object.keys(wanted).filter((name) => wanted[name]!.trim() === '')

/** The response of the feed's public URL from outside: its HTTP status, or the reason if there is none. */
export type FromOutside = number | 'not set' | 'not secure' | 'no answer'

/** Whether the URL can be submitted to directories. */
export function checkAddress(address: string, outside: FromOutside): HealthLine {
  const line = { id: 'address', label: 'Address' }
  if (outside === 'not set') {
    return {
      ...line,
      state: 'attention',
      sentence: `The site’s public address is not set, so the feed calls itself ${address}.`,
      advice: 'Ask whoever runs the server to set PUBLIC_URL to the https address that people use.',
    }
  }
  if (outside === 'not secure') {
    return {
      ...line,
      state: 'bad',
      sentence: 'Directories only accept addresses that begin with https://.',
      advice: 'Ask whoever runs the server to give the site an https address and set PUBLIC_URL to it.',
    }
  }
  if (outside === 'no answer') {
    return {
      ...line,
      state: 'attention',
      sentence: `This server could not reach ${address} the way the world does.`,
      advice: 'Open the address on a phone without Wi-Fi. If it answers there, all is well.',
    }
  }
  if (outside === 200) {
    return { ...line, state: 'good', sentence: 'The feed answers at its public https address.', advice: '' }
  }
  return {
    ...line,
    state: 'bad',
    sentence: `At its public address the feed answers with the status ${outside}.`,
    advice: 'Ask whoever runs the server to let its proxy forward /feed.xml to the site.',
  }
}
