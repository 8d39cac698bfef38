import { freshPage } from '@fellowship/schema/pages/prerender-data'
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row } from './support/screens.ts'

const site = journey()

const latin = ['inter-latin-wght-normal', 'source-serif-4-latin-wght-normal']

/** The fonts that the page fetched, without the hashes of their names. */
const fetchedFonts = async (page: Page) =>
  page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .flatMap(({ name }) => /\/assets\/(.+)-[^-]+\.woff2$/.exec(name)?.[1] ?? [])
      .toSorted(),
  )

/** Of each family that draws a row's title: whether it is one of the site. */
async function ownFonts(page: Page, title: string): Promise<boolean[]> {
  const devtools = await page.context().newCDPSession(page)
  const words = row(page, title).getByText(title, { exact: true })
  await words.first().evaluate((element) => element.setAttribute('data-drawn', ''))
  await devtools.send('DOM.enable')
  await devtools.send('CSS.enable')
  const { root } = await devtools.send('DOM.getDocument')
  const { nodeId } = await devtools.send('DOM.querySelector', {
    nodeId: root.nodeId,
    selector: '[data-drawn]',
  })
  const { fonts } = await devtools.send('CSS.getPlatformFontsForNode', { nodeId })
  await devtools.detach()
  return fonts.map(({ isCustomFont }) => isCustomFont)
}

test('a first visit uses device fonts until hydration', async () => {
  await site.add(mp3('c.mp3'), { title: 'Grace', speaker: 'Jane Doe', date: '2026-02-01' })
  // Blocked, so that the routes see every script.
  const page = await site.visit('/robots.txt', {
    firstVisit: true,
    serviceWorkers: 'block',
    allow: ['404 /favicon.ico', /registration blocked/],
  })
  let hydrate = () => {}
  const hydrates = new Promise<void>((resolve) => (hydrate = resolve))
  await page.route('**/assets/main-*.js', async (route) => {
    await hydrates
    await route.continue()
  })
  await page.evaluate(() => location.assign('/teaching'))
  await page.waitForURL('**/teaching')
  expect(await fetchedFonts(page)).toEqual([])
  expect(await ownFonts(page, 'Grace')).toEqual([false])
  hydrate()
  // Nobody touches the page.
  await comesTo(() => ownFonts(page, 'Grace'), [true])
  expect(await fetchedFonts(page)).toEqual(latin)
})

test('device fonts are as wide as the site fonts', async () => {
  const page = await site.visit('/about')
  await comesTo(() => page.evaluate(() => document.documentElement.hasAttribute('data-fonts')), false)
  const differences = await page.evaluate(async () => {
    const words =
      'Whether you have followed Jesus for years or are only starting to ask, there is a seat for you.'
    const line = document.createElement('span')
    line.style.cssText = 'position: fixed; white-space: nowrap; font-size: 100px'
    line.append(words)
    document.body.append(line)
    const widthIn = async (family: string, weight: number) => {
      line.style.fontFamily = `var(--${family})`
      line.style.fontWeight = String(weight)
      line.getBoundingClientRect()
      await document.fonts.ready
      return line.getBoundingClientRect().width
    }
    const difference = async (family: string, weight: number) =>
      Math.abs((await widthIn(`device-${family}`, weight)) / (await widthIn(family, weight)) - 1)
    return [await difference('sans', 400), await difference('serif', 560)]
  })
  // At 2 % the introduction on Home took another line with the site fonts.
  for (const difference of differences) expect(difference).toBeLessThan(0.015)
})

test('a second visit uses the site fonts at once', async () => {
  const html = async (path: string, cookie = '') =>
    (await fetch(site.url + path, { headers: { accept: 'text/html', cookie } })).text()
  const first = await html('/teaching')
  expect(first).toContain('<html data-fonts="later"')
  expect(first).not.toContain('as="font"')
  for (const [what, page] of [
    ['kept by the device', await html(`/teaching${freshPage}`)],
    ['for who is signed in', await html('/teaching', 'sid=x')],
  ] as const) {
    expect(page, what).not.toContain('<html data-fonts')
    expect(page.match(/<link rel="preload" as="font"/g), what).toHaveLength(2)
    // The scripts are on the device too: they wait for the first paint.
    expect(page, what).not.toContain('rel="modulepreload"')
    expect(page, what).not.toContain('blocking="render"')
  }
})

test('macrons use a small font, other extended letters load on demand', async () => {
  await site.add(mp3('a.mp3'), { title: 'Te rā tapu', speaker: 'Hōne Ngata', date: '2026-03-01' })
  const page = await site.visit('/teaching', { firstVisit: true })
  await comesTo(() => ownFonts(page, 'Te rā tapu'), [true])
  expect(await fetchedFonts(page)).toEqual([
    'inter-latin-wght-normal',
    'inter-macrons',
    'source-serif-4-latin-wght-normal',
    'source-serif-4-macrons',
  ])
  await site.add(mp3('b.mp3'), { title: 'Hope', speaker: 'Łukasz Nowák', date: '2026-03-08' })
  const other = await site.visit('/teaching', { firstVisit: true })
  await comesTo(
    async () => (await fetchedFonts(other)).filter((font) => !latin.includes(font)),
    ['inter-latin-ext-wght-normal', 'inter-macrons', 'source-serif-4-macrons'],
  )
})
