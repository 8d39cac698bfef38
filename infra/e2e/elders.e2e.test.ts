import { elders } from '@fellowship/schema/elders/elders.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { administrator } from './support/people.ts'
import { portrait } from './support/pictures.ts'
import { comesTo } from './support/screens.ts'
import { inSoak, nightly, nightlySuite } from './support/in-soak.ts'

/** The console message of a test that blocks the service worker, so that its routes take effect. */
const noWorker = 'Service Worker registration blocked by Playwright'

const site = journey()
const bios = { role: 'Elder', shortBio: 'In short.', extendedBio: 'At first.\n\nAnd more of it.' }
const add = async (name: string, displayOrder: number, more: Partial<typeof bios> = {}) =>
  call(elders.create, { body: { ...bios, ...more, name, displayOrder } }, await site.session())

beforeEach(async () => {
  const session = await site.session()
  for (const { id } of await call(elders.list, {}, session))
    await call(elders.remove, { params: { id } }, session)
})

const names = (page: Page) => page.locator('section[aria-labelledby="our-elders"] h3').allTextContents()
const placeholders = (page: Page) => page.locator('[data-placeholder]')
/** Whether the centre of an element is in the viewport. */
const isInView = (page: Page, id: string) =>
  page.evaluate((wanted) => {
    const box = document.getElementById(wanted)?.getBoundingClientRect()
    return box !== undefined && box.top + box.height / 2 > 0 && box.top + box.height / 2 < innerHeight
  }, id)

nightly('asks before discarding typed text about an elder', async () => {
  await add('Anna Example', 0)
  const page = await site.visit('/', { as: administrator })
  await page.getByRole('link', { name: 'Admin', exact: true }).click()
  const edit = page.getByRole('button', { name: 'Edit Anna Example' })
  await edit.click()
  const form = page.getByRole('dialog', { name: 'Edit Elder' })
  const question = page.getByRole('dialog', { name: 'Discard changes?' })
  const bio = form.getByLabel('Extended Bio')
  await bio.fill('A long evening of typing')
  const focused = () => page.evaluate(() => document.activeElement?.textContent)

  await page.mouse.click(5, 5)
  expect(await question.count()).toBe(0)
  for (const close of [
    () => page.keyboard.press('Escape'),
    () => form.getByRole('button', { name: 'Cancel' }).click(),
    () => form.getByRole('button', { name: 'Close' }).click(),
    () => page.goBack(),
  ]) {
    await bio.focus()
    await close()
    await comesTo(focused, 'Keep editing')
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'detached' })
    await comesTo(() => bio.inputValue(), 'A long evening of typing')
    await comesTo(() => form.evaluate((dialog) => dialog.contains(document.activeElement)), true)
  }
  await bio.focus()
  await page.keyboard.press('Escape')
  await comesTo(focused, 'Keep editing')
  // Back answers the question on top, and only that.
  await page.goBack()
  await question.waitFor({ state: 'detached' })
  await comesTo(() => bio.evaluate((field) => field === document.activeElement), true)

  const asked = page.waitForEvent('dialog')
  await page.evaluate(() => void setTimeout(() => location.reload()))
  const leaving = await asked
  expect(leaving.type()).toBe('beforeunload')
  await leaving.dismiss()
  await comesTo(() => bio.inputValue(), 'A long evening of typing')

  await page.keyboard.press('Escape')
  await question.getByRole('button', { name: 'Discard' }).click()
  await form.waitFor({ state: 'detached' })
  await comesTo(() => edit.evaluate((button) => button === document.activeElement), true)
  await edit.click()
  await form.waitFor()
  await page.mouse.click(5, 5)
  await form.waitFor({ state: 'detached' })
  expect(await question.count()).toBe(0)
})

nightlySuite('elders on the home page', () => {
  nightly('the page without elders does not shift while hydrating', async () => {
    // Blocked, so that the route sees the fonts.
    const page = await site.visit('/robots.txt', {
      firstVisit: true,
      serviceWorkers: 'block',
      allow: ['404 /favicon.ico', noWorker],
    })
    let seen = () => {}
    const isSeen = new Promise<void>((resolve) => (seen = resolve))
    const fonts: string[] = []
    await page.route('**/*.woff2', async (route) => {
      fonts.push(route.request().url())
      await isSeen
      await route.continue()
    })
    await page.goto(site.url, { waitUntil: 'commit' })
    await page.getByText('Come and meet our elders in person, any Sunday.').waitFor()
    await page.getByText(/^Up to date, /).waitFor()
    seen()
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    expect(fonts.length).toBeGreaterThan(1)
    const shifts = await page.evaluate(async () => {
      let sum = 0
      const add = (entries: PerformanceEntryList) => {
        for (const { value = 0 } of entries as { value?: number }[]) sum += value
      }
      const observer = new PerformanceObserver((list) => add(list.getEntries()))
      observer.observe({ type: 'layout-shift', buffered: true })
      // Earlier entries are delivered in a task of their own.
      for (let frame = 0; frame < 3; frame++) await new Promise(requestAnimationFrame)
      add(observer.takeRecords())
      return sum
    })
    expect(shifts).toBeLessThan(0.01)
  })

  nightly('shows three placeholders, and a retry after a failure', async () => {
    // A page that is not prerendered, since a prerendered one brings its elders or their absence.
    const page = await site.visit('/robots.txt', {
      serviceWorkers: 'block',
      allow: ['404 /favicon.ico', '503 /api/sync', noWorker],
    })
    let refuse = () => {}
    const until = new Promise<void>((resolve) => (refuse = resolve))
    await page.addInitScript(() =>
      document.addEventListener('click', () => Object.assign(window, { triedAgain: true }), {
        capture: true,
      }),
    )
    await page.route(/\/api\/sync($|\?)/, async (route) => {
      await until
      // The automatic retry must not remove the button before it is pressed.
      if (await page.evaluate(() => 'triedAgain' in window)) return route.continue()
      await route.fulfill({ status: 503, body: '{}' })
    })
    await page.goto(`${site.url}/?from=elsewhere`)
    await comesTo(() => placeholders(page).count(), 3)
    refuse()
    await page.getByText('Failed to fetch elders').waitFor()
    expect(await placeholders(page).count()).toBe(0)
    await page
      .locator('section[aria-labelledby="our-elders"]')
      .getByRole('button', { name: 'Try again' })
      .click()
    await page.getByText('Come and meet our elders in person').waitFor()
  })

  nightly('an empty list links to the service', async () => {
    const page = await site.visit('/')
    await page.getByText('Come and meet our elders in person, any Sunday.').waitFor()
    expect(await placeholders(page).count()).toBe(0)
  })

  nightly('photos fit their size, failed ones get a placeholder', async () => {
    const { id } = await add('With Photo', 1)
    await add('Without', 2)
    const photo = new File([new Uint8Array(await portrait())], 'me.png')
    await call(elders.photo, { params: { id }, files: { photo } }, await site.session())
    const page = await site.visit('/', { viewport: { width: 360, height: 740 } })
    const picture = page.locator('#with\\ photo img')
    await picture.scrollIntoViewIfNeeded()
    await comesTo(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth > 0), true)
    expect(await picture.evaluate((img: HTMLImageElement) => img.currentSrc)).toMatch(/-320\.webp$/)
    await comesTo(() => page.locator('#without svg').count(), 1)

    const broken = await site.visit('/teaching', {
      serviceWorkers: 'block',
      allow: [/net::ERR_FAILED \/images\//, noWorker],
    })
    await broken.route('**/images/**', (route) => route.abort())
    await broken.goto(`${site.url}/`)
    await broken.locator('#with\\ photo').scrollIntoViewIfNeeded()
    await comesTo(() => broken.locator('#with\\ photo svg').count(), 1)
  })
})

describe('from an elder card to About and back', () => {
  beforeEach(async () => {
    await add('Anna Example', 1, { extendedBio: 'Long. '.repeat(200) })
    await add('Ben Other', 2, { role: 'Teaching Elder' })
    await add('Cara Last', 3)
  })

  test.each(inSoak ? (['reduce', 'no-preference'] as const) : (['reduce'] as const))(
    'cards in one row lead to About and back, photos also offline (motion: %s)',
    async (reducedMotion) => {
      const [anna] = await call(elders.list, {}, await site.session())
      const photo = new File([new Uint8Array(await portrait())], 'me.png')
      await call(elders.photo, { params: { id: anna!.id }, files: { photo } }, await site.session())
      const page = await site.visit('/', { reducedMotion, allow: [/ERR_INTERNET_DISCONNECTED/] })
      await comesTo(() => names(page), ['Anna Example', 'Ben Other', 'Cara Last'])
      const tops = await page
        .locator('section[aria-labelledby="our-elders"] li')
        .evaluateAll((cards) => [
          ...new Set(cards.map((card) => Math.round(card.getBoundingClientRect().top))),
        ])
      expect(tops).toHaveLength(1)

      await page.getByRole('link', { name: /Ben Other.*Read more →/ }).click()
      await page.waitForURL('**/about')
      const block = page.locator('[id="elder-ben other"]')
      await block.waitFor()
      await comesTo(() => isInView(page, 'elder-ben other'), true)
      expect(await block.getByText('Teaching Elder').count()).toBe(1)
      expect(await block.locator('p').filter({ hasText: 'And more of it.' }).count()).toBe(1)
      expect(await page.evaluate(() => document.activeElement?.closest('article')?.id)).toBe(
        'elder-ben other',
      )
      const picture = page.locator('[id="elder-anna example"] img')
      await picture.scrollIntoViewIfNeeded()
      await comesTo(() => page.evaluate(() => navigator.serviceWorker.controller !== null), true)
      const kept = () => page.evaluate(async () => (await (await caches.open('pictures')).keys()).length)
      await comesTo(kept, 1)

      await page.getByRole('link', { name: /Cara Last.*Return to the home page →/ }).click()
      await page.waitForURL((url) => url.pathname === '/')
      await comesTo(() => isInView(page, 'cara last'), true)

      await page.evaluate(() => {
        // Without the server’s event: the window focus alone triggers the refetch.
        window.EventSource = class extends EventTarget {} as unknown as typeof EventSource
      })
      await add('Newest Elder', 1)
      await page.evaluate(() => window.dispatchEvent(new Event('focus')))
      await comesTo(() => names(page), ['Newest Elder', 'Anna Example', 'Ben Other', 'Cara Last'])

      await page.context().setOffline(true)
      await page.goto(`${site.url}/about`)
      await picture.scrollIntoViewIfNeeded()
      await comesTo(() => picture.evaluate((img: HTMLImageElement) => img.naturalWidth > 0), true)
    },
  )

  nightly('scrolls instantly with reduced motion', async () => {
    for (const reducedMotion of ['reduce', 'no-preference'] as const) {
      const page = await site.visit('/', { reducedMotion })
      await page.evaluate(() => {
        const asked: unknown[] = []
        Object.assign(window, { asked })
        Element.prototype.scrollIntoView = function (how) {
          asked.push([this.id, typeof how === 'object' && how.behavior])
        }
      })
      await page.getByRole('link', { name: /Cara Last.*Read more/ }).click()
      const asked = () => page.evaluate(() => (window as unknown as { asked: unknown[] }).asked)
      await comesTo(asked, [['elder-cara last', reducedMotion === 'reduce' ? 'instant' : 'smooth']])
    }
  })

  nightly('works offline from the cached elders', async () => {
    const page = await site.visit('/', {
      allow: [/^net::ERR_INTERNET_DISCONNECTED/, /ERR_INTERNET_DISCONNECTED/],
    })
    await comesTo(() => names(page), ['Anna Example', 'Ben Other', 'Cara Last'])
    await page.evaluate(() => navigator.serviceWorker.ready)
    await comesTo(() => page.evaluate(() => navigator.serviceWorker.controller !== null), true)
    await page.context().setOffline(true)
    await page.reload()
    await comesTo(() => names(page), ['Anna Example', 'Ben Other', 'Cara Last'])
    await page.getByRole('link', { name: /Ben Other.*Read more/ }).click()
    await comesTo(() => isInView(page, 'elder-ben other'), true)
  })
})
