import { lineOf, type HealthLine } from '../system/system.contract.ts'
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
  const line = lineOf('show', 'About the podcast')
  return faults.length > 0
    ? line.bad(`What is missing: ${faults.join('; ')}.`, inProfile)
    : line.good('Title, description, language, category and rating are there.')
}

function recommendedLine({ link, author, self }: ShowFacts, address: string): HealthLine {
  const faults = [
    ...missing({ 'a link to the site': link, 'an author': author }),
    ...(self === address ? [] : ['the feed’s own address']),
  ]
  const line = lineOf('details', 'Details')
  return faults.length > 0
    ? line.attention(`What is missing: ${faults.join('; ')}.`, inProfile)
    : line.good('Author, link and the feed’s own address are there.')
}

function ownerLine({ ownerEmail }: ShowFacts): HealthLine {
  const line = lineOf('owner', 'Owner')
  return ownerEmail === ''
    ? line.bad(
        'The feed names no email address. Directories write to it to verify the owner, and refuse a feed without it.',
        'Set the church’s contact email to an address that the elders read.',
      )
    : line.good(`Directories write to ${ownerEmail}.`)
}

function identityLine({ guid }: ShowFacts): HealthLine {
  const line = lineOf('identity', 'Identity')
  return guid === ''
    ? line.attention(
        'The podcast has no permanent identifier yet.',
        'It gets one as soon as the public address (PUBLIC_URL) is set.',
      )
    : line.good('The podcast has a permanent identifier, and keeps it if the site moves.')
}

/** Apple's guide for podcasters: JPEG or PNG, RGB, square, the right ending, and HEAD is answered. */
export function checkArtwork({ address, status, picture }: ArtworkFacts): HealthLine {
  const line = lineOf('artwork', 'Picture')
  const { least, most } = directoryArtwork
  const advice = `It must be a square JPEG or PNG of ${least} to ${most} pixels. Ask whoever runs the server to restore it.`
  const bad = (sentence: string): HealthLine => line.bad(sentence, advice)
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
  return line.good(`A square ${kind.toUpperCase()} of ${sizes}.`)
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
  const line = lineOf('address', 'Address')
  if (outside === 'not set') {
    return line.bad(
      `The site’s public address is not set, so the feed calls itself ${address}, which directories cannot reach.`,
      'Ask whoever runs the server to set PUBLIC_URL to the https address that people use.',
    )
  }
  if (outside === 'not secure') {
    return line.bad(
      'Directories only accept addresses that begin with https://.',
      'Ask whoever runs the server to give the site an https address and set PUBLIC_URL to it.',
    )
  }
  if (outside === 'no answer') {
    return line.attention(
      `This server could not reach ${address} the way the world does.`,
      'Open the address on a phone without Wi-Fi. If it answers there, all is well.',
    )
  }
  if (outside === 200) {
    return line.good('The feed answers at its public https address.')
  }
  return line.bad(
    `At its public address the feed answers with the status ${outside}.`,
    'Ask whoever runs the server to let its proxy forward /feed.xml to the site.',
  )
}
