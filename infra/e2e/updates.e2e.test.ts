import type { Page } from 'playwright-core'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { serverDown, sound, synced } from './support/offline-steps.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, play, sounds } from './support/screens.ts'
import { serveTwoBuilds, type TwoBuilds } from './support/second-build.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()
let builds: TwoBuilds

beforeEach(async () => {
  await site.empty()
  const fields = { title: 'The good shepherd', speaker: 'Jane Doe', date: '2026-11-15' }
  // More than an element loads at once: it does not read its response to the end.
  await site.add(mp3('a.mp3', { bytes: 8_000_000 }), fields)
  builds = await serveTwoBuilds(site.url)
})
afterEach(() => builds.stop())

const build = (page: Page) =>
  page.evaluate(() => document.querySelector<HTMLMetaElement>('meta[name=build]')?.content ?? 'first')
const offer = (page: Page) => page.getByText('A new version is ready')
const updateButton = (page: Page) => page.getByRole('button', { name: 'Update', exact: true })

/** Checks for an update, as an installed app does when it becomes visible. */
const lookForUpdate = (page: Page) =>
  page.evaluate(async () => void (await (await navigator.serviceWorker.ready).update()))

const newVersions = (page: Page) =>
  page.evaluate(async () => {
    const { installing, waiting } = await navigator.serviceWorker.ready
    return { installing: installing !== null, waiting: waiting !== null }
  })

async function twoTabs(): Promise<[Page, Page]> {
  const noIcon = ['404 /favicon.ico']
  const one = await site.visit('/robots.txt', { firstVisit: true, allow: noIcon })
  await one.goto(`${builds.url}/teaching`)
  await synced(one)
  const two = await site.visitBeside(one, '/robots.txt', noIcon)
  await two.goto(`${builds.url}/about`)
  await two.waitForFunction(() => navigator.serviceWorker.controller !== null)
  return [one, two]
}

test('a new version is offered in both tabs, and waits for playback', async () => {
  const [one, two] = await twoTabs()
  builds.release()
  builds.breakInstallation(true)
  await lookForUpdate(one)
  await comesTo(() => newVersions(one), { installing: false, waiting: false })
  builds.breakInstallation(false)

  await play(one, 'The good shepherd')
  await sounds(one)
  expect((await sound(one)).src, 'held on this device').toContain('/offline-audio/')
  await lookForUpdate(one)
  await comesTo(() => newVersions(one), { installing: false, waiting: true })
  await offer(one).waitFor()
  await offer(two).waitFor()
  expect(await updateButton(one).isDisabled(), 'while it plays').toBe(true)
  await one.getByText(/A teaching is playing, or a form or an upload is not finished/).waitFor()

  await two.getByRole('button', { name: 'Later' }).click()
  await comesTo(() => offer(two).count(), 0)
  expect(await build(two)).toBe('first')
  await two.reload()
  await offer(two).waitFor()
  await updateButton(two).click()
  await comesTo(() => build(two).catch(() => 'reloading'), 'second')
  await sounds(one)
  expect(await build(one), 'the page that plays').toBe('first')

  const followed = one.waitForEvent('load')
  await one.getByRole('main').getByRole('button', { name: 'Pause', exact: true }).click()
  await followed
  await comesTo(() => build(one), 'second')
})

/** Replaces the files of the version on the device, as a version did that cached any answer. */
const poison = (page: Page) =>
  page.evaluate(async () => {
    const [name] = (await caches.keys()).filter((each) => each.includes('precache'))
    const cache = await caches.open(name!)
    for (const request of await cache.keys())
      if (/index\.html|assets\/(main|react|router)/.test(request.url))
        await cache.put(
          request,
          new Response('<h1>Sign in</h1>', { headers: { 'content-type': 'text/html' } }),
        )
  })

nightlySuite('a network that answers with its own pages', () => {
  test('leaves the version before in place', async () => {
    const [page] = await twoTabs()
    await page.evaluate(async () => {
      for (const name of await caches.keys()) if (name.includes('precache')) await caches.delete(name)
    })
    builds.release()
    builds.falsify(true)
    await lookForUpdate(page)
    await comesTo(() => newVersions(page), { installing: false, waiting: false })
    expect(await offer(page).count()).toBe(0)
    builds.falsify(false)
    await lookForUpdate(page)
    await offer(page).waitFor()
  })

  test('a device with its pages as files repairs itself', async () => {
    const [page, other] = await twoTabs()
    await other.close()
    await poison(page)
    builds.release()
    await page.reload({ waitUntil: 'commit' })
    await page.getByText('This site was repaired').waitFor()
    expect(await build(page)).toBe('second')
    await page.reload()
    await page.getByRole('heading', { level: 1 }).first().waitFor()
    expect(await page.getByText('This site was repaired').count()).toBe(0)
  })
})

nightly('a changed setting reaches cached devices', async () => {
  const page = await site.visit('/about', { firstVisit: true, allow: serverDown })
  await synced(page)
  const written = () => page.getByRole('contentinfo').getByRole('link', { name: /@/ }).textContent()
  const before = await written()
  await site.product.kill()
  await site.startAgain({ CONTACT_EMAIL: 'new-elders@example.org' })
  await page.reload()
  expect(await written(), 'what the device has').toBe(before)
  await lookForUpdate(page)
  await offer(page).waitFor()
  const reloaded = page.waitForEvent('load')
  await updateButton(page).click()
  await reloaded
  await comesTo(written, 'new-elders@example.org')
})

/** Opens the database from another page and holds it open, with another version if told. */
const openDatabase = (page: Page, version?: number) =>
  page.evaluate(
    (as) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('app', as)
        request.onsuccess = () => resolve()
        request.onerror = () => reject(new Error('not opened'))
      }),
    version,
  )

nightly('a page with an upgraded database offers a reload', async () => {
  const page = await site.visit('/teaching')
  await synced(page)
  const newer = await site.visitBeside(page, '/robots.txt', ['404 /favicon.ico'])
  await openDatabase(newer, 9000)
  const notice = page.getByRole('dialog', { name: 'The app was updated. Reload this page.' })
  await notice.waitFor()
  await page.keyboard.press('Escape')
  await comesTo(() => notice.isVisible(), true)
  const reloaded = page.waitForEvent('load')
  await notice.getByRole('button', { name: 'Reload' }).click()
  await reloaded
})

nightly('words survive an upgrade in another tab', async () => {
  const page = await site.visit('/teaching', { as: member })
  await synced(page)
  const edit = page.getByRole('button', { name: 'Edit The good shepherd' })
  const speaker = page.getByRole('dialog').getByLabel('Speaker')
  await edit.click()
  await speaker.fill('Words of half an hour')
  const newer = await site.visitBeside(page, '/robots.txt', ['404 /favicon.ico'])
  await openDatabase(newer, 9000)
  await page.getByText(/^The app was updated in another tab, and this page cannot save/).waitFor()
  expect(await page.getByRole('dialog').count()).toBe(1)
  await comesTo(() => speaker.inputValue(), 'Words of half an hour')
  await comesTo(() => page.getByRole('button', { name: 'Update', exact: true }).isDisabled(), true)
  await newer.close()
  const reloaded = page.waitForEvent('load')
  page.once('dialog', (question) => void question.accept())
  await page.getByRole('dialog').getByRole('button', { name: 'Reload' }).click()
  await reloaded
  await edit.click()
  await page.getByText(/^Your words of .* are here again\./).waitFor()
  await comesTo(() => speaker.inputValue(), 'Words of half an hour')
  // The page is left without a question.
  await page.getByRole('dialog').getByRole('button', { name: 'Discard', exact: true }).click()
})

/** Sets the shape of rows that a build must know to write them. */
const requireSchema = (page: Page, value: number) =>
  page.evaluate(
    (schema) =>
      new Promise<void>((resolve, reject) => {
        const request = indexedDB.open('app')
        request.onerror = () => reject(new Error('not opened'))
        request.onsuccess = () => {
          const change = request.result.transaction('meta', 'readwrite')
          change.objectStore('meta').put({ key: 'minWriterSchema', value: schema })
          change.oncomplete = () => (request.result.close(), resolve())
        }
      }),
    value,
  )

nightly('a release is rolled back and returns', async () => {
  const page = await site.visit('/about', { firstVisit: true, as: member, allow: ['404 /favicon.ico'] })
  await page.goto(`${builds.url}/teaching`)
  await synced(page)
  await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
  const follow = async (version: string) => {
    await lookForUpdate(page)
    await offer(page).waitFor()
    const reloaded = page.waitForEvent('load')
    await updateButton(page).click()
    await reloaded
    await comesTo(() => build(page), version)
  }
  const older = page.getByText('This is an older version of the app')
  builds.release()
  await follow('second')
  builds.rollBack()
  await follow('first')
  // As if the second release had changed the shape of rows. A page that is open would ask for a reload.
  await page.goto(`${builds.url}/robots.txt`)
  await requireSchema(page, 99)
  await page.goto(`${builds.url}/teaching`)
  await older.waitFor()
  await site.add(mp3('b.mp3', { bytes: 3_000_001 }), {
    title: 'The true vine',
    speaker: 'Jane Doe',
    date: '2026-11-22',
  })
  await page.getByRole('button', { name: 'Sync', exact: true }).click()
  await page
    .getByText(/^Could not update: A newer version of the app/)
    .first()
    .waitFor()
  await page.getByRole('heading', { name: 'The good shepherd' }).waitFor()
  await page.getByRole('button', { name: 'Edit The good shepherd' }).click()
  await page
    .getByRole('dialog')
    .getByText(/This older one can read here, but not save/)
    .waitFor()
  await comesTo(() => page.getByRole('button', { name: 'Update', exact: true }).first().isDisabled(), true)
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()

  builds.release()
  await requireSchema(page, 1)
  await follow('second')
  await page.getByRole('heading', { name: 'The true vine' }).waitFor()
  expect(await older.count()).toBe(0)
})

nightly('a newer build waits for older pages to close', async () => {
  const old = await site.visit('/teaching')
  await synced(old)
  // A page of an old build that ignores versionchange.
  const holding = await site.visitBeside(old, '/robots.txt', ['404 /favicon.ico'])
  await openDatabase(holding)
  await old.close()
  await holding.context().addInitScript(() => {
    const open = indexedDB.open.bind(indexedDB)
    indexedDB.open = (name, version) =>
      open(name, name === 'app' && version !== undefined ? version + 10 : version)
  })
  const page = await site.visitBeside(holding, '/teaching')
  const notice = page.getByRole('dialog', { name: 'Close other tabs' })
  await notice.waitFor()
  await page.keyboard.press('Escape')
  await notice.waitFor()
  await holding.close()
  const reloaded = page.waitForEvent('load')
  await notice.getByRole('button', { name: 'Reload' }).click()
  await reloaded
  await page.getByText(/^Up to date, /).waitFor()
  await comesTo(() => notice.count(), 0)
})

nightly('a page whose build is gone reloads once', async () => {
  const page = await site.visit('/', {
    serviceWorkers: 'block',
    allow: [/^404 \/assets\//, /dynamically imported/, /registration blocked/],
  })
  await page.getByRole('heading', { level: 1 }).waitFor()
  const ofThisBuild = /\/assets\/(?:about|main)-[^/]*\.js$/
  const gone = new Set<string>()
  await page.route(ofThisBuild, (route, request) => {
    if (gone.has(request.url())) return route.continue()
    gone.add(request.url())
    return route.fulfill({ status: 404, body: '' })
  })
  const reloaded = page.waitForEvent('load')
  await page.getByRole('link', { name: 'About', exact: true }).first().click()
  await reloaded
  await page.getByRole('link', { name: 'About', exact: true }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Who We Are' }).waitFor()
})

nightlySuite('without a connection', () => {
  const allow = [
    /^net::ERR_(?:INTERNET_DISCONNECTED|FAILED) \//,
    /dynamically imported module/,
    /registration blocked/,
  ]

  const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name })

  test('a failed page shows a retry that works', async () => {
    const page = await site.visit('/teaching', { serviceWorkers: 'block', allow })
    await page.getByText(/^Up to date, /).waitFor()
    // There is a network, as far as the browser knows, but the server does not answer.
    await page.route('**/assets/about-*.js', (route) => route.abort())
    await page.getByRole('link', { name: 'About', exact: true }).first().click()
    await heading(page, 'Something went wrong').waitFor()
    await page.unroute('**/assets/about-*.js')
    await page.getByRole('button', { name: 'Try again' }).click()
    await heading(page, 'Who We Are').waitFor()
  })

  test('a page missing offline opens once online', async () => {
    const page = await site.visit('/teaching', { serviceWorkers: 'block', allow })
    await page.getByText(/^Up to date, /).waitFor()
    await page.context().setOffline(true)
    await page.getByRole('link', { name: 'About', exact: true }).first().click()
    await heading(page, 'No connection').waitFor()
    await page.context().setOffline(false)
    await heading(page, 'Who We Are').waitFor()
  })

  test.each([
    ['its own code', /\/assets\/about-[^/]*\.js$/],
    ['the code of the site', /\/assets\/main-[^/]*\.js$/],
  ])('a page that lacks %s stays readable and completes', async (_, code) => {
    const page = await site.visit('/', { serviceWorkers: 'block', allow })
    const asked = page.waitForEvent('requestfailed', (request) => code.test(request.url()))
    await page.route(code, (route) => route.abort())
    await page.evaluate(() => location.assign('/about'))
    await asked
    const ready = page.locator('[data-first]')
    // As long as it would take to replace it.
    await page.waitForTimeout(500)
    await comesTo(() => page.getByRole('heading', { level: 1 }).allInnerTexts(), ['Who We Are'])
    expect(await ready.count()).toBe(1)
    await page.unroute(code)
    await page.evaluate(() => dispatchEvent(new Event('online')))
    await ready.waitFor({ state: 'detached' })
    await page.getByRole('button', { name: 'Sign In' }).click()
    await page.getByRole('dialog', { name: 'Sign In' }).waitFor()
  })
})
