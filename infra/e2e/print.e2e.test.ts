import { elders } from '@fellowship/schema/elders/elders.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { play, row } from './support/screens.ts'

const site = journey()
const bios = { role: 'Elder', shortBio: 'In short.', extendedBio: 'See John 3:16.' }
/** An A4 page at 96 dpi without its margins. */
const paper = { width: 673, height: 1000 }

beforeAll(async () => {
  const fields = { title: 'Hope', speaker: 'Jane Doe', scriptureReference: 'John 3:16' }
  await site.add(mp3('a.mp3'), {
    ...fields,
    date: '2026-11-22',
    description: 'Why hope does not disappoint.',
  })
  await site.add(mp3('b.mp3'), { title: 'Be still', speaker: 'Jane Doe', date: '2026-11-15' })
  await call(
    elders.create,
    { body: { ...bios, name: 'Anna Example', displayOrder: 0 } },
    await site.session(),
  )
})

/** The page as it goes on paper; `colorScheme` is what the screen has. */
async function onPaper(page: Page): Promise<void> {
  await page.setViewportSize(paper)
  await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
}

/** The words and names of controls that would be printed. */
const pressable = (page: Page) =>
  page.evaluate(() =>
    [
      ...document.querySelectorAll(
        'button:not([data-words]), nav a, input, select, audio, [role=slider], [role=option]',
      ),
    ]
      .filter((element) => element.checkVisibility() && element.getBoundingClientRect().width > 1)
      .map((element) => element.getAttribute('aria-label') ?? element.textContent),
  )

const colours = (page: Page) =>
  page.evaluate(() => {
    const { color } = getComputedStyle(document.querySelector('main h1')!)
    return { ground: getComputedStyle(document.documentElement).backgroundColor, ink: color }
  })
const blackOnWhite = { ground: 'rgb(255, 255, 255)', ink: 'rgb(0, 0, 0)' }

/** Elements that would still be printed in a colour of the screen. */
const inTransition = (page: Page) =>
  page.evaluate(() =>
    document.getAnimations().map(({ effect }) => (effect as KeyframeEffect).target?.textContent),
  )

const overflow = (page: Page) => page.evaluate(() => document.documentElement.scrollWidth - innerWidth)

test('prints a list black on white without controls', async () => {
  const page = await site.visit('/teaching')
  await play(page, 'Hope')
  await page.getByText(/^Up to date, /).waitFor()
  await onPaper(page)
  expect(await pressable(page)).toEqual([])
  expect(await colours(page)).toEqual(blackOnWhite)
  expect(await overflow(page)).toBeLessThanOrEqual(0)
  for (const words of ['Hope', 'Why hope does not disappoint.', '22 November 2026', 'John 3:16', 'Be still'])
    expect(await page.getByText(words, { exact: true }).first().isVisible(), words).toBe(true)
  for (const words of [/^Up to date/, 'Click on any teaching to play or download', '1×'])
    expect(await page.getByText(words).first().isVisible(), String(words)).toBe(false)
  expect(await row(page, 'Hope').getByRole('slider').isVisible()).toBe(false)
})

test('prints the same before scripts run', async () => {
  const page = await site.visit('/teaching', {
    javaScriptEnabled: false,
    allow: [/^csp \/assets\/[\w-]+\.js$/],
  })
  for (const path of ['/teaching', '/about', '/']) {
    await page.emulateMedia({ media: 'screen' })
    await page.goto(site.url + path)
    await onPaper(page)
    expect(await pressable(page), path).toEqual([])
    expect(await colours(page), path).toEqual(blackOnWhite)
    expect(await overflow(page)).toBeLessThanOrEqual(0)
  }
})

test('prints the church pages without controls and map', async () => {
  const page = await site.visit('/about', { reducedMotion: 'no-preference' })
  await page.getByRole('button', { name: 'Romans 12:1-2' }).waitFor()
  for (const [path, words] of [
    ['/about', 'We Believe:'],
    ['/', 'Our Elders'],
  ] as const) {
    await page.emulateMedia({ media: 'screen' })
    await page.goto(site.url + path)
    await page.getByText(/^Up to date, /).waitFor()
    await onPaper(page)
    expect(await inTransition(page), path).toEqual([])
    expect(await page.getByText(words, { exact: true }).isVisible(), words).toBe(true)
    expect(await page.getByText('28 Criterion Street').last().isVisible()).toBe(true)
    expect(await pressable(page), path).toEqual([])
    expect(await colours(page)).toEqual(blackOnWhite)
    expect(await overflow(page)).toBeLessThanOrEqual(0)
  }
})

test('prints a series without controls', async () => {
  const [hope, still] = await Promise.all(
    ['Hope', 'Be still'].map(async (title) => (await site.list()).find((row) => row.title === title)!.uid),
  )
  const body = { title: 'In order', description: 'To be read on paper.', teachings: [still!, hope!] }
  const { slug } = await call(series.create, { body }, await site.session())
  const page = await site.visit(`/series/${slug}`, { as: member })
  await page.getByText(/^Up to date, /).waitFor()
  await page.getByRole('button', { name: 'Edit', exact: true }).waitFor()
  await onPaper(page)
  expect(await pressable(page)).toEqual([])
  expect(await page.getByRole('link', { name: 'Podcast feed' }).isVisible()).toBe(false)
  expect(await colours(page)).toEqual(blackOnWhite)
  expect(await overflow(page)).toBeLessThanOrEqual(0)
  for (const words of ['In order', 'To be read on paper.', '2 teachings', 'Be still', 'Hope'])
    expect(await page.getByText(words, { exact: true }).first().isVisible(), words).toBe(true)
})
