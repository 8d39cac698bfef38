import { describe, expect, test } from 'vitest'
import { feedItems } from '@fellowship/schema/feed/feed.limits'
import { aTeaching, manyTeachings } from '@fellowship/schema/testing/builders'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { feedXml } from './feed-xml.ts'
import { podcastGuid } from './feed.ts'
import { robotsTxt, sitemapXml } from './sitemap.ts'
import { secondsOf } from '@fellowship/schema/teachings/duration'
import { podcastType, serviceTime } from './teaching-facts.ts'

const facts = {
  origin: 'https://bulls.example',
  changed: new Date('2026-11-22T00:30:00Z'),
  contactEmail: undefined,
  guid: undefined,
}
const feed = (teachings: Teaching[], more: Partial<Parameters<typeof feedXml>[1]> = {}) =>
  feedXml(teachings, { ...facts, ...more })
const itemsOf = (xml: string) => xml.match(/<item>/g)?.length ?? 0

describe('left out', () => {
  test.each<[string, Partial<Teaching>]>([
    ['a teaching without a recording', { audioUrl: null, audioBytes: null, audioMime: null }],
    [
      'a WAV, which no directory takes',
      { audioUrl: `/audio/${'ab'.repeat(32)}.wav`, audioMime: 'audio/wav' },
    ],
    ['a recording of unknown size', { audioBytes: null }],
    ['an empty recording', { audioBytes: 0 }],
  ])('the feed leaves out %s', (_, given) => {
    expect(itemsOf(feed([aTeaching(given)]))).toBe(0)
  })

  test('the feed ends after the newest two thousand', () => {
    const many = manyTeachings(feedItems + 5).map((row, at) =>
      aTeaching({ ...row, audioUrl: `/audio/${String(at).padStart(64, '0')}.mp3`, audioBytes: 10 }),
    )
    expect(itemsOf(feed(many))).toBe(feedItems)
  })

  test('does not read teachings beyond the limit', () => {
    const newest = manyTeachings(feedItems).map((row, at) =>
      aTeaching({ ...row, audioUrl: `/audio/${String(at).padStart(64, '0')}.mp3`, audioBytes: 10 }),
    )
    const unread = new Proxy(aTeaching({}), {
      get: (_, name) => {
        throw new Error(`read: ${String(name)}`)
      },
    })
    expect(itemsOf(feed([...newest, unread]))).toBe(feedItems)
  })
})

test('escapes every character of a title', () => {
  const xml = feed([
    aTeaching({
      title: '</title><script>&"\u0000\u0008\ud800',
      speaker: `O'Neil & <b>Sons</b>`,
      scriptureReference: ']]>',
    }),
  ])
  expect(xml).toContain('<title>&lt;/title&gt;&lt;script&gt;&amp;&quot;</title>')
  expect(xml).toContain('<itunes:author>O&#39;Neil &amp; &lt;b&gt;Sons&lt;/b&gt;</itunes:author>')
  // oxlint-disable-next-line no-control-regex -- that none is there
  expect(xml).not.toMatch(/[\u0000-\u0008]|]]>/)
})

test('an item has the required tags and a non-URL guid', () => {
  const teaching = aTeaching({ title: 'Hope_in_Christ', duration: '1:02:10', audioBytes: 20_240_000 })
  const lines = feed([teaching])
    .split('\n')
    .map((line) => line.trim())
  expect(lines.slice(lines.indexOf('<item>'), lines.indexOf('</item>') + 1)).toEqual([
    '<item>',
    '<title>Hope in Christ</title>',
    '<description>John Smith on Romans 8:28-39, 22 November 2026, at Bulls Christian Fellowship.</description>',
    '<itunes:summary>John Smith on Romans 8:28-39, 22 November 2026, at Bulls Christian Fellowship.</itunes:summary>',
    '<link>https://bulls.example/teaching/2026-11-22-hope-in-christ-2f5f0c9b7e01</link>',
    `<guid isPermaLink="false">${teaching.uid}</guid>`,
    '<pubDate>Sun, 22 Nov 2026 10:00:00 +1300</pubDate>',
    `<enclosure url="https://bulls.example${teaching.audioUrl}" length="20240000" type="audio/mpeg"/>`,
    '<itunes:author>John Smith</itunes:author>',
    '<itunes:duration>3730</itunes:duration>',
    '<itunes:explicit>false</itunes:explicit>',
    '<itunes:episodeType>full</itunes:episodeType>',
    '<podcast:person role="host">John Smith</podcast:person>',
    '</item>',
  ])
})

const copy = { copyUrl: `/audio/${'c0'.repeat(32)}.mp3`, copyBytes: 10_240_000, copyMime: 'audio/mpeg' }

test('an item offers its small copy beside the recording', () => {
  expect(feed([aTeaching(copy)])).toContain(
    '<podcast:alternateEnclosure type="audio/mpeg" length="10240000" bitrate="32000" title="Small">' +
      `<podcast:source uri="https://bulls.example${copy.copyUrl}"/></podcast:alternateEnclosure>`,
  )
  expect(feed([aTeaching()])).not.toContain('alternateEnclosure')
})

test('a WAV is in the feed by its small copy', () => {
  const xml = feed([
    aTeaching({ ...copy, audioUrl: `/audio/${'ab'.repeat(32)}.wav`, audioMime: 'audio/wav' }),
  ])
  expect(xml).toContain(
    `<enclosure url="https://bulls.example${copy.copyUrl}" length="10240000" type="audio/mpeg"/>`,
  )
  expect(xml).not.toContain('alternateEnclosure')
})

test.each([
  ['', 'Romans 8:28-39', 'Romans 8:28-39'],
  [' _ ', 'Romans 8:28-39', 'Romans 8:28-39'],
  ['', null, 'Untitled'],
])('title %j with %j becomes %s, as on screen', (title, scriptureReference, name) => {
  const [, shown] = /<item>\s*<title>([^<]*)</.exec(feed([aTeaching({ title, scriptureReference })]))!
  expect(shown).toBe(name)
})

test('the channel omits an unknown owner and guid', () => {
  expect(feed([])).not.toMatch(/<itunes:owner>|<podcast:guid>|<podcast:locked/)
  const xml = feed([], { contactEmail: 'elders@bulls.example', guid: 'b9f5c1de-7d07-5a34-8f7c-2a7e5f0a9f11' })
  expect(xml).toContain(
    '<itunes:owner><itunes:name>Bulls Christian Fellowship</itunes:name><itunes:email>elders@bulls.example</itunes:email></itunes:owner>',
  )
  expect(xml).toContain('<podcast:locked owner="elders@bulls.example">no</podcast:locked>')
  expect(xml).toContain('<podcast:guid>b9f5c1de-7d07-5a34-8f7c-2a7e5f0a9f11</podcast:guid>')
  expect(xml).toContain(
    '<itunes:category text="Religion &amp; Spirituality"><itunes:category text="Christianity"/></itunes:category>',
  )
  expect(xml).toContain('<itunes:type>episodic</itunes:type>')
  expect(xml).toContain('<language>en</language>')
})

test('derives the guid of the podcast namespace’s example', () => {
  const known = '917393e3-1b1e-5cef-ace4-edaa54e1f810'
  expect(podcastGuid('https://mp3s.nashownotes.com/pc20rss.xml')).toBe(known)
  expect(podcastGuid('http://mp3s.nashownotes.com/pc20rss.xml/')).toBe(known)
})

test.each([
  ['2026-11-22', 'Sun, 22 Nov 2026 10:00:00 +1300'],
  ['2026-07-05', 'Sun, 05 Jul 2026 10:00:00 +1200'],
  // The Sundays on which the clock changes, at three in the morning.
  ['2026-04-05', 'Sun, 05 Apr 2026 10:00:00 +1200'],
  ['2026-09-27', 'Sun, 27 Sep 2026 10:00:00 +1300'],
  ['1996-02-29', 'Thu, 29 Feb 1996 10:00:00 +1300'],
  // A mistyped year: local mean time had seconds, which RFC 2822 dates cannot express.
  ['1026-11-22', 'Wed, 22 Nov 1026 10:00:00 +1139'],
])('the service of %s was at %s', (date, expected) => {
  expect(serviceTime(date)).toBe(expected)
})

test.each([
  ['0:07', 7],
  ['42:10', 2530],
  ['1:00:00', 3600],
  [null, null],
  ['about an hour', null],
])('%j is %s seconds', (duration, seconds) => {
  expect(secondsOf(duration)).toBe(seconds)
})

test('derives a recording’s type from its extension', () => {
  expect(['/a.mp3', '/a.m4a', '/a.wav', '/a', '/a.constructor'].map(podcastType)).toEqual([
    'audio/mpeg',
    'audio/x-m4a',
    undefined,
    undefined,
    undefined,
  ])
})

test('the sitemap lists pages and teachings up to the limit', () => {
  const teaching = aTeaching()
  expect(sitemapXml('https://bulls.example', [teaching]).match(/<loc>[^<]*/g)).toEqual([
    '<loc>https://bulls.example/',
    '<loc>https://bulls.example/about',
    '<loc>https://bulls.example/teaching',
    '<loc>https://bulls.example/browse',
    '<loc>https://bulls.example/events',
    '<loc>https://bulls.example/speakers/john-smith',
    '<loc>https://bulls.example/books/romans',
    '<loc>https://bulls.example/teaching/2026-11-22-hope-in-christ-2f5f0c9b7e01',
  ])
  expect(sitemapXml('https://a.example', Array(60_000).fill(teaching)).match(/<loc>/g)).toHaveLength(50_000)
})

test('robots.txt names the sitemap and disallows pages behind a sign-in', () => {
  expect(robotsTxt('https://bulls.example')).toBe(
    'User-agent: *\nDisallow: /api/\nDisallow: /admin\nDisallow: /manage\n\nSitemap: https://bulls.example/sitemap.xml\n',
  )
})
