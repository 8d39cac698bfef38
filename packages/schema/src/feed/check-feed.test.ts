import { describe, expect, test } from 'vitest'
import {
  type ArtworkFacts,
  type EpisodeFacts,
  type ShowFacts,
  checkAddress,
  checkArtwork,
  checkShow,
} from './check-show.ts'
import { checkEpisodes } from './check-episodes.ts'

const address = 'https://bulls.example/feed.xml'
const show: ShowFacts = {
  title: 'Teaching',
  description: 'The Sunday teaching.',
  language: 'en',
  category: 'Religion & Spirituality',
  explicit: 'false',
  link: 'https://bulls.example/teaching',
  author: 'Bulls Christian Fellowship',
  ownerEmail: 'elders@bulls.example',
  self: address,
  guid: 'b9f5c1de-7d07-5a34-8f7c-2a7e5f0a9f11',
}
const picture = { kind: 'png', width: 1500, height: 1500, colours: 'srgb' }
const artwork: ArtworkFacts = { address: 'https://bulls.example/artwork/a.png', status: 200, picture }
const episode = (more: Partial<EpisodeFacts> = {}): EpisodeFacts => ({
  title: 'Hope',
  guid: 'one',
  pubDate: 'Sun, 22 Nov 2026 10:00:00 +1300',
  duration: '2530',
  url: 'https://bulls.example/audio/a.mp3',
  length: '1000',
  type: 'audio/mpeg',
  answer: { status: 200, length: '1000' },
  rangeStatus: 206,
  ...more,
})
const other = episode({ title: 'Quiet', guid: 'two', url: 'https://bulls.example/audio/b.mp3' })

describe('reports a problem', () => {
  test.each([
    ['not set', 'bad', 'public address is not set'],
    ['not secure', 'bad', 'begin with https://'],
    ['no answer', 'attention', 'could not reach'],
    [404, 'bad', 'with the status 404'],
  ] as const)('an address that is %s', (outside, state, words) => {
    const line = checkAddress(address, outside)
    expect([line.state, line.advice === '', line.sentence.includes(words)]).toEqual([state, false, true])
  })

  test.each<[id: string, state: string, Partial<ShowFacts>]>([
    ['show', 'bad', { title: ' ' }],
    ['show', 'bad', { description: 'ä'.repeat(2001) }],
    ['show', 'bad', { language: 'English' }],
    ['show', 'bad', { category: '' }],
    ['show', 'bad', { explicit: 'no' }],
    ['details', 'attention', { author: '' }],
    ['details', 'attention', { self: 'https://elsewhere.example/feed.xml' }],
    ['owner', 'bad', { ownerEmail: '' }],
    ['identity', 'attention', { guid: '' }],
  ])('%s is %s with %j', (id, state, more) => {
    const objections = checkShow({ ...show, ...more }, address).filter((line) => line.state !== 'good')
    expect(objections.map((line) => [line.id, line.state])).toEqual([[id, state]])
  })

  test.each<[Partial<ArtworkFacts>]>([
    [{ address: '' }],
    [{ status: 404, picture: undefined }],
    [{ picture: undefined }],
    [{ picture: { ...picture, kind: 'webp' } }],
    [{ picture: { ...picture, kind: 'jpeg' } }],
    [{ picture: { ...picture, colours: 'cmyk' } }],
    [{ picture: { ...picture, width: 1400 } }],
    [{ picture: { ...picture, width: 1399, height: 1399 } }],
    [{ picture: { ...picture, width: 3001, height: 3001 } }],
  ])('a picture with %j', (more) => {
    expect(checkArtwork({ ...artwork, ...more })).toMatchObject({ id: 'artwork', state: 'bad' })
  })

  test.each<[id: string, which: string, Partial<EpisodeFacts>]>([
    ['words', 'without a title: one without a title', { title: '' }],
    ['words', 'without an identifier of its own: “Hope”, “Quiet”', { guid: 'two' }],
    ['words', 'without a valid date: “Hope”', { pubDate: '2026-11-22' }],
    ['words', 'without a valid date: “Hope”', { pubDate: 'Sun, 99 Nov 2026 10:00:00 +1300' }],
    ['recordings', 'without the address of a recording: “Hope”', { url: '' }],
    ['recordings', 'with the address of another’s recording: “Hope”, “Quiet”', { url: other.url }],
    ['recordings', 'of a kind that directories do not take: “Hope”', { type: 'audio/x-m4a' }],
    ['recordings', 'of a kind that directories do not take: “Hope”', { url: 'https://a.example/a.wav' }],
    ['files', 'whose recording answers with the status 404: “Hope”', { answer: { status: 404, length: '' } }],
    ['files', 'whose recording does not answer: “Hope”', { answer: { status: 0, length: '' } }],
    ['files', 'another length than the feed says: “Hope”', { answer: { status: 200, length: '999' } }],
    ['seeking', 'of which no part can be fetched: “Hope”', { rangeStatus: 200 }],
    ['durations', 'without its duration: “Hope”', { duration: '42:10' }],
  ])('%s: %s', (id, which, more) => {
    const objections = checkEpisodes([episode(more), other]).filter((line) => line.state !== 'good')
    expect(objections.map((line) => line.id)).toEqual([id])
    expect(objections[0]!.sentence).toContain(which)
    expect(objections[0]!.advice).not.toBe('')
  })

  test('reports a length of 0 as missing and as different', () => {
    const objections = checkEpisodes([episode({ length: '0' })]).filter((line) => line.state === 'bad')
    expect(objections.map(({ id }) => id)).toEqual(['recordings', 'files'])
  })

  test('reports a feed without episodes', () => {
    expect(checkEpisodes([]).map(({ state }) => state)).toEqual(['bad'])
  })

  test('names some of many failing episodes and counts all', () => {
    const many = Array.from({ length: 8 }, (_, at) =>
      episode({ title: `T${at}`, guid: `${at}`, url: `https://a.example/${at}.mp3`, duration: '' }),
    )
    expect(checkEpisodes(many).find(({ id }) => id === 'durations')!.sentence).toBe(
      '8 episodes without its duration: “T0”, “T1”, “T2” and 5 more.',
    )
  })
})

test('reports no problem for a valid feed', () => {
  const lines = [
    checkAddress(address, 200),
    ...checkShow(show, address),
    checkArtwork(artwork),
    ...checkEpisodes([episode(), other]),
  ]
  expect(lines.filter(({ state, advice }) => state !== 'good' || advice !== '')).toEqual([])
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
})
