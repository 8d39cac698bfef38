import { describe, expect, test } from 'vitest'
import { htmlText } from './html-text.ts'
import { dateOfMoment, incomingOf, personOf, scriptureIn } from './incoming.ts'

describe('passages in titles', () => {
  test.each([
    ['This is 40', ''],
    ['Part 2', ''],
    ['Week 3: Hope', ''],
    ['Acts', ''],
    ['Romans 8:99', ''],
    ['Order (Rom 8:28-39)', 'Romans 8:28-39'],
    ['1 John 4:7–12 | Love', '1 John 4:7-12'],
    ['Ps. 23', 'Psalm 23'],
    ['Is 53:5', 'Isaiah 53:5'],
    ['Living water – John 4.10', 'John 4:10'],
    ['Genesis 1:26—2:3', 'Genesis 1:26-2:3'],
  ])('reads %s', (title, passage) => {
    expect(scriptureIn(title)).toBe(passage)
  })
})

describe('dates of feeds', () => {
  test.each([
    ['someday', undefined],
    ['Sun, 30 Feb 2020 10:00:00 +1300', undefined],
    ['Sat, 21 Nov 2020 21:00:00 GMT', '2020-11-22'],
    ['Sun, 22 Nov 2020 10:00:00 +1300', '2020-11-22'],
    // A wrong weekday, and a zone by name.
    ['Mon, 22 Nov 2020 10:00 NZDT', '2020-11-22'],
    // Midnight is a date without a time.
    ['Sun, 22 Nov 2020 00:00:00 +0000', '2020-11-22'],
    ['Sun, 22 Nov 2020 00:00:00 -0500', '2020-11-22'],
    ['2020-11-22', '2020-11-22'],
    ['2020-11-22T00:00:00Z', '2020-11-22'],
    ['2020-11-21T22:00:00Z', '2020-11-22'],
  ])('reads %s', (text, date) => {
    expect(dateOfMoment(text)?.date).toBe(date)
  })
})

test.each([
  ['sam@example.org (Sam Desk)', 'Sam Desk'],
  ['sam@example.org', ''],
  ['Sam Desk <sam@example.org>', 'Sam Desk'],
  ['Sam &amp; Ruth', 'Sam & Ruth'],
])('drops the address of %s', (text, name) => {
  expect(personOf(text)).toBe(name)
})

test.each([
  ['3 < 4 and 5 > 2', '3 < 4 and 5 > 2'],
  ['<p>One</p><p>Two<br/>three</p>', 'One\n\nTwo\nthree'],
  ['<ul><li>a</li><li>b</li></ul>', '- a\n- b'],
  ['a<script>alert(1)</script>b<style>p{}</style>', 'ab'],
  ['God&#8217;s &amp; &#x201C;grace&#147; &nbsp; &unknown;', 'God’s & “grace“ &unknown;'],
  ['[audio mp3="https://a.example/1.mp3"][/audio]Text', 'Text'],
  ['\u202Eabc\0', 'abc'],
])('makes text of %s', (html, text) => {
  expect(htmlText(html, 500)).toBe(text)
})

test('a long text ends at a word', () => {
  const text = htmlText('word '.repeat(1_000), 2_000)
  expect(text.length).toBeLessThanOrEqual(2_000)
  expect(text).toMatch(/word…$/)
})

test('an item without a guid has that of its recording', () => {
  const item = incomingOf({
    title: 'A <b>title</b> &amp; more',
    description: 'Write to sam@example.org',
    audio: 'https://a.example/1.mp3',
    date: '2020-02-30',
    bytes: 0,
  })
  expect(item).toMatchObject({
    guid: 'https://a.example/1.mp3',
    title: 'A title & more',
    description: 'Write to',
    date: '',
    bytes: null,
  })
})
