import { describe, expect, test } from 'vitest'
import { feedItem, feedOf, oldSite } from '../../testing/old-site.ts'
import { alikeNames } from './judge.ts'
import { absolute } from './source-feed.ts'
import { readSource } from './sources.ts'
import { textOfBytes } from './text-of-bytes.ts'

const noGuest = undefined as never
const readText = (document: string) => readSource({ kind: 'file', source: 'feed.xml', document }, {}, noGuest)

const pubDate = 'Sun, 22 Nov 2020 10:00:00 +1300'
const enclosure = 'https://a.example/1.mp3'
const one = (item: string, channel = '') => readText(feedOf([item], channel)).then(({ items }) => items[0]!)

describe('refused sources', () => {
  test.each([
    ['<!doctype html><html><body></body></html>', /web page/],
    ['<rss><channel></channel></rss>', /no items/],
    ['<opml><body/></opml>', /neither/],
    ['plain words', /neither/],
    ['<rss><channel><item></channel></rss>', /no valid XML/],
    [
      '<!DOCTYPE r [<!ENTITY a "b">]><rss><channel><item><title>&a;</title></item></channel></rss>',
      /entities/,
    ],
    ['<a>'.repeat(200_000), /XML/],
  ])('refuses document %#', async (document, sentence) => {
    await expect(readText(document)).rejects.toThrow(sentence)
  })
})

describe('shapes of feeds', () => {
  test('bare ampersands and control characters are read', async () => {
    const item = await one('<item><title>Tom & Sue\u0008</title><guid>1</guid></item>')
    expect(item.title).toBe('Tom & Sue')
  })

  test('CDATA with markup and entities becomes text', async () => {
    const text = '<![CDATA[<p>Grace &amp; <em>truth</em></p>]]>'
    const item = await one(
      `<item><title>${text}</title><description>${text}</description><guid>1</guid></item>`,
    )
    expect(item.title).toBe('Grace & truth')
    expect(item.description).toBe('')
  })

  test('an end of CDATA inside a text is no end of it', async () => {
    const text = '<![CDATA[Grace ]]]]><![CDATA[> truth]]>'
    expect((await one(`<item><title>${text}</title><guid>1</guid></item>`)).title).toBe('Grace ]]> truth')
  })

  test('an empty enclosure is no recording', async () => {
    expect((await one(feedItem({ title: 'a', guid: '1', enclosure: '' }))).audio).toBe('')
  })

  test('a picture beside the recording is skipped', async () => {
    const picture = '<enclosure url="https://a.example/1.jpg" type="image/jpeg" length="10"/>'
    const item = await one(
      feedItem({ title: 'a', guid: '1', more: `${picture}<enclosure url="${enclosure}"/>` }),
    )
    expect(item.audio).toBe(enclosure)
  })

  test('the host speaks, not the guest or the channel', async () => {
    const more = '<podcast:person role="guest">Ann</podcast:person><podcast:person>Sam Desk</podcast:person>'
    const channel = '<itunes:author>Old Church</itunes:author>'
    expect((await one(feedItem({ title: 'a', guid: '1', more }), channel)).speaker).toBe('Sam Desk')
    expect((await one(feedItem({ title: 'a', guid: '1' }), channel)).speaker).toBe('Old Church')
    const author = 'sam@example.org (Sam Desk)'
    expect((await one(feedItem({ title: 'a', guid: '1', author }), channel)).speaker).toBe('Sam Desk')
  })

  test('a guid that is an address is a page too', async () => {
    const item = await one(
      feedItem({ title: 'a', guid: 'https://a.example/?p=7', link: 'https://a.example/a/' }),
    )
    expect(item.pages).toEqual(['https://a.example/a/', 'https://a.example/?p=7'])
  })

  test('transcripts, chapters, series and pictures are taken along', async () => {
    const more = `<podcast:transcript url="https://a.example/1.vtt" type="text/vtt"/>
      <podcast:chapters url="https://a.example/1.json"/><podcast:season name="Romans">2</podcast:season>
      <itunes:image href="https://a.example/1.jpg"/>`
    expect(await one(feedItem({ title: 'a', guid: '1', more }))).toMatchObject({
      transcript: 'https://a.example/1.vtt',
      chapters: 'https://a.example/1.json',
      series: 'Romans',
      picture: 'https://a.example/1.jpg',
    })
  })

  test('an invalid podcast guid is ignored', async () => {
    const { podcastGuid } = await readText(
      feedOf([feedItem({ title: 'a', guid: '1' })], '<podcast:guid>no-uuid</podcast:guid>'),
    )
    expect(podcastGuid).toBeNull()
  })

  test('items of one day stay in the order of the source', async () => {
    const items = ['c', 'b', 'a'].map((title) => feedItem({ title, guid: title, pubDate }))
    expect((await readText(feedOf(items))).items.map(({ title }) => title)).toEqual(['a', 'b', 'c'])
  })

  test('relative addresses are resolved from the feed', () => {
    expect(absolute('../1.mp3', 'https://a.example/x/feed')).toBe('https://a.example/1.mp3')
    expect(absolute('1.mp3', '')).toBe('')
    expect(absolute('file:///etc/passwd', 'https://a.example')).toBe('')
  })

  test('old encodings are read', () => {
    const latin = Buffer.from('<?xml version="1.0" encoding="ISO-8859-1"?><a>caf\u00e9</a>', 'latin1')
    expect(textOfBytes(latin)).toContain('café')
    expect(textOfBytes(Buffer.from('caf\u00e9', 'latin1'))).toBe('café')
    expect(textOfBytes(Buffer.from('\uFEFFcafé', 'utf16le'))).toBe('café')
  })
})

test('pages of a feed are followed until they repeat', async () => {
  const site = await oldSite()
  const next = (page: number) => `<atom:link rel="next" href="${site.url}/feed?page=${page}"/>`
  const page = (first: number) =>
    [0, 1, 2].map((at) => feedItem({ title: `${first - at}`, guid: `${first - at}`, enclosure: '/1.mp3' }))
  site.answer('/feed', feedOf(page(9), next(2)))
  site.answer('/feed?page=2', feedOf(page(6), next(3)))
  // The last page names itself, as some servers do.
  site.answer('/feed?page=3', feedOf(page(3), next(3)))
  const { items } = await readSource(
    { kind: 'address', source: `${site.url}/feed`, document: null },
    {},
    site.guest,
  )
  expect(items.map(({ guid }) => guid)).toEqual(['1', '2', '3', '4', '5', '6', '7', '8', '9'])
  expect(items[0]!.audio).toBe(`${site.url}/1.mp3`)
})

test('a whole first name is preferred to an initial', () => {
  const counts = new Map([
    ['T. Harris', 5],
    ['Tom Harris', 2],
    ['Pastor Tom Harris', 1],
  ])
  expect(alikeNames(counts, [])).toEqual({ 'T. Harris': 'Tom Harris', 'Pastor Tom Harris': 'Tom Harris' })
})

test('names of one person are found', () => {
  const counts = new Map([
    ['Tom Harris', 5],
    ['Pastor Tom Harris', 2],
    ['T. Harris', 1],
    ['Harris, Tom', 1],
    ['tom harris', 1],
    ['Tom J Harris', 1],
    ['Tim Harris', 9],
    ['Ann', 1],
  ])
  expect(alikeNames(counts, ['Tom Harris'])).toEqual({
    'Pastor Tom Harris': 'Tom Harris',
    'T. Harris': 'Tom Harris',
    'Harris, Tom': 'Tom Harris',
    'tom harris': 'Tom Harris',
    'Tom J Harris': 'Tom Harris',
  })
})
