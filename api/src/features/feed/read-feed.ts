import type { EpisodeFacts, ShowFacts } from '@fellowship/schema/feed/feed-facts'
import { parseXml, XmlBroken, type XmlElement } from '../../machine/xml.ts'

/** What a feed contains, before any of its addresses was requested. */
export interface FeedWords {
  readonly show: ShowFacts
  /** Address of the picture; empty where there is none. */
  readonly artwork: string
  readonly episodes: readonly Omit<EpisodeFacts, 'answer' | 'rangeStatus'>[]
}

/** Reads RSS as a podcast app does; returns a sentence with the reason where it is invalid. */
export function readFeed(xml: string): FeedWords | string {
  try {
    const channel = parseXml(xml)['rss']?.[0]?.children['channel']?.[0]
    return channel ? wordsOf(channel) : 'What is there is XML, but no podcast feed.'
  } catch (error) {
    if (!(error instanceof XmlBroken)) throw error
    return `What is there is no valid XML (${error.message}).`
  }
}

function wordsOf(channel: XmlElement): FeedWords {
  const owner = child(channel, 'itunes:owner')
  const self = channel.children['atom:link']?.find(({ attributes }) => attributes['rel'] === 'self')
  return {
    show: {
      title: text(channel, 'title'),
      description: text(channel, 'description'),
      language: text(channel, 'language'),
      category: attribute(channel, 'itunes:category', 'text'),
      explicit: text(channel, 'itunes:explicit'),
      link: text(channel, 'link'),
      author: text(channel, 'itunes:author'),
      ownerEmail: owner ? text(owner, 'itunes:email') : '',
      self: self?.attributes['href'] ?? '',
      guid: text(channel, 'podcast:guid'),
    },
    artwork: attribute(channel, 'itunes:image', 'href'),
    episodes: (channel.children['item'] ?? []).map((item) => ({
      title: text(item, 'title'),
      guid: text(item, 'guid'),
      pubDate: text(item, 'pubDate'),
      duration: text(item, 'itunes:duration'),
      url: attribute(item, 'enclosure', 'url'),
      length: attribute(item, 'enclosure', 'length'),
      type: attribute(item, 'enclosure', 'type'),
    })),
  }
}

const child = (element: XmlElement, name: string): XmlElement | undefined => element.children[name]?.[0]
const text = (element: XmlElement, name: string): string => child(element, name)?.text.trim() ?? ''
const attribute = (element: XmlElement, name: string, key: string): string =>
  child(element, name)?.attributes[key] ?? ''
