import { samplePdf } from '@fellowship/api/testing/sample-pdf'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { events } from '@fellowship/schema/events/events.contract'
import { type Handout, handoutAddress } from '@fellowship/schema/handouts/handout-file'
import { handouts } from '@fellowship/schema/handouts/handouts.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { call } from '@fellowship/sync/call/call'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import {
  serverDown,
  hardReload,
  cachedLibrary,
  save,
  seekTo,
  seeState,
  synced,
  sound,
} from './support/offline-steps.ts'
import { addSessionCookie, member } from './support/people.ts'
import { portrait } from './support/pictures.ts'
import { popovers, reference } from './support/popovers.ts'
import { mp3 } from './support/recordings.ts'
import { offlineErrors } from './support/upload-steps.ts'
import { comesTo, goWithin, play, row, sounds, titles } from './support/screens.ts'
import { bar, choose } from './support/up-next-steps.ts'
import { inTime } from './support/visitors.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()
const speaker = 'Jane Doe'

beforeEach(async () => {
  if (site.product.process.signalCode) await site.startAgain()
  await site.empty()
  await site.add(mp3('a.mp3', { bytes: 3_000_000 }), {
    title: 'The good shepherd',
    speaker,
    date: '2026-11-15',
  })
  await site.add(mp3('b.mp3'), { title: 'Living hope', speaker, date: '2026-11-08' })
  await site.add(mp3('c.mp3'), { title: 'Be still', speaker: 'John Smith', date: '2025-11-09' })
})

/** An elder with a photo, a weekly event, a series, and a handout of the teaching that is saved. */
async function addPeopleAndPapers(): Promise<Handout> {
  const session = await site.session()
  const bios = { shortBio: 'Short', extendedBio: 'Long', role: 'Elder', displayOrder: 1 }
  const { id } = await call(elders.create, { body: { ...bios, name: 'Ben Other' } }, session)
  const files = { photo: new File([new Uint8Array(await portrait())], 'ben.png') }
  await call(elders.photo, { params: { id }, files }, session)
  const day = new Date(Date.now() + 172_800_000).toISOString().slice(0, 10)
  const times = { starts: `${day}T10:00`, ends: `${day}T11:00`, repeats: 'FREQ=WEEKLY', cancelled: [] }
  await call(events.create, { body: { title: 'Breakfast', place: '', description: '', ...times } }, session)
  const rows = await site.list()
  const uids = ['Be still', 'The good shepherd'].map((title) => rows.find((row) => row.title === title)!.uid)
  await call(series.create, { body: { title: 'Of hope', description: '', teachings: uids } }, session)
  const shepherd = rows.find(({ title }) => title === 'The good shepherd')!
  const pdf = new File([new Uint8Array(samplePdf('The good shepherd. '))], 'Outline.pdf')
  const added = await call(
    handouts.add,
    { params: shepherd, query: {}, body: {}, files: { handout: pdf } },
    session,
  )
  return added.handouts![0]!
}

const photo = (page: Page) => page.locator('[id="elder-ben other"] img')
const isLoaded = async (picture: Locator) => {
  await picture.scrollIntoViewIfNeeded()
  await comesTo(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth > 0), true)
}

/** The titles of the rows of a collection, without the heading of the part below them. */
const listed = (page: Page) => page.getByRole('main').locator('li h3').allTextContents()

/** What a page shows offline, besides its heading. */
const shows: Readonly<Record<string, (page: Page) => Promise<void>>> = {
  '/': (page) => page.getByRole('region', { name: 'Coming up' }).getByText('Breakfast').first().waitFor(),
  '/about': async (page) => {
    await isLoaded(photo(page))
    await reference(page, 'Colossians 1:18').click()
    await popovers(page).getByText('he is the head of the body').waitFor()
  },
  '/events': (page) => page.getByText(/^Then every week on \w+day$/).waitFor(),
  '/speakers/jane-doe': async (page) => {
    await comesTo(() => listed(page), ['The good shepherd', 'Living hope'])
    await page.getByRole('button', { name: /^Make a ZIP of 1 / }).waitFor()
  },
  '/series/of-hope': (page) => comesTo(() => listed(page), ['Be still', 'The good shepherd']),
  '/listening': (page) =>
    page
      .getByRole('region', { name: 'Favourites (1)' })
      .getByRole('heading', { name: 'Living hope' })
      .waitFor(),
}

nightlySuite('a device with an empty cache', () => {
  test('an empty device explains itself and syncs on retry', async () => {
    const page = await site.visit('/about', { firstVisit: true, allow: [...serverDown, /net::ERR_FAILED/] })
    // As if the first visit had cached the pages but ended before the first sync, and nothing may be under way.
    await synced(page)
    let mayPass = async () => false
    await page.context().route('**/api/sync*', async (route) => {
      return (await mayPass()) ? route.continue() : route.abort()
    })
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null)
    await page.evaluate(() => indexedDB.deleteDatabase('app'))
    await site.product.kill()
    const cold = await site.visitBeside(page, '/teaching', [...serverDown, /net::ERR_FAILED/])
    await cold.getByText('You are offline, and this device has no library yet').waitFor()
    await cold.getByText('Offline. Nothing is saved yet').waitFor()
    // Nothing that the page tries by itself succeeds before the button is pressed, or the button would be gone.
    await cold.evaluate(() => {
      addEventListener('click', () => sessionStorage.setItem('pressed', 'yes'), { capture: true })
    })
    mayPass = () => cold.evaluate(() => sessionStorage.getItem('pressed') === 'yes')
    await site.startAgain()
    await cold.getByRole('button', { name: 'Try again' }).click()
    await comesTo(() => titles(cold), ['The good shepherd', 'Living hope', 'Be still'])
  })
})

describe('after one visit, with the server down', () => {
  test('every page cold-starts, and saved teachings play', async () => {
    const handout = await addPeopleAndPapers()
    const first = await site.visit('/teaching', { firstVisit: true, allow: serverDown })
    await synced(first)
    await save(first, 'The good shepherd')
    await choose(first, 'Living hope', 'Add to favourites')
    await goWithin(first, '/about')
    await isLoaded(photo(first))
    // A recording that is not saved is held while it plays.
    await goWithin(first, '/teaching')
    await play(first, 'Living hope')
    await goWithin(first, '/')
    await bar(first, 'Living hope').getByText('Whole on this device').waitFor()
    await site.product.kill()
    await first.evaluate(() => (document.querySelector('audio')!.currentTime = 1))
    await sounds(first)
    const cold = await site.visitBeside(first, '/teaching', serverDown)
    await cold.getByRole('heading', { name: 'Saved on this device' }).waitFor()
    await first.close()
    await comesTo(() => titles(cold), ['The good shepherd'])
    await cold.getByText(/^Offline\. Last updated /).waitFor()
    await cold.getByRole('link', { name: 'All Teaching', exact: true }).click()
    await comesTo(() => titles(cold), ['The good shepherd', 'Living hope', 'Be still'])
    await cold.getByRole('searchbox').fill('smith')
    await comesTo(() => titles(cold), ['Be still'])
    await cold.getByRole('searchbox').fill('')
    await cold.getByRole('combobox', { name: 'Year' }).selectOption('2025')
    await comesTo(() => titles(cold), ['Be still'])
    for (const [path, heading] of [
      ['/', /Welcome/],
      ['/about', 'Who We Are'],
      ['/events', 'Events'],
      ['/speakers/jane-doe', 'Jane Doe'],
      ['/series/of-hope', 'Of hope'],
      ['/listening', 'My listening'],
      ['/nothing-here', /not/i],
      ['/teaching', 'Teaching'],
    ] as const) {
      await cold.goto(site.url + path)
      await cold.getByRole('heading', { level: 1, name: heading }).waitFor()
      await shows[path]?.(cold)
    }
    // The worker answers with the handout of the saved recording.
    expect(
      await cold.evaluate(async (at) => (await (await fetch(at)).blob()).size, handoutAddress(handout)),
    ).toBe(handout.bytes)
    await play(cold, 'The good shepherd')
    await cold.getByText('Playing from this device').waitFor()
    expect((await sound(cold)).src).toMatch(/\/offline-audio\/[0-9a-f]{64}\.mp3$/)
    await seekTo(cold, 0.9)
    await comesTo(async () => {
      const { at, of } = await sound(cold)
      return at / of > 0.85
    }, true)
    await sounds(cold)

    await site.startAgain()
    await hardReload(cold)
    // After a hard reload no service worker serves this page, so it has to load while online.
    await cold.getByText(/^Up to date, /).waitFor()
    await seeState(cold, 'The good shepherd', 'Saved')
    await site.product.kill()
    expect(await cold.evaluate(() => navigator.serviceWorker.controller)).toBe(null)
    await play(cold, 'The good shepherd')
    expect((await sound(cold)).src).toMatch(/^blob:/)
    await comesTo(async () => {
      const { at, of } = await sound(cold)
      return at / of > 0.85
    }, true)
    await seekTo(cold, 0.2)
    await comesTo(async () => {
      const now = await sound(cold)
      return now.at / now.of < 0.3
    }, true)
    await sounds(cold)
  })

  nightly('an unsaved recording resumes when back online', async () => {
    const allow = [...serverDown, /^net::ERR_FAILED \/offline-audio\//]
    const page = await site.visit('/teaching?show=all', { allow })
    await synced(page)
    await site.product.kill()
    await row(page, 'Living hope').getByRole('button', { name: 'Play Living hope' }).click()
    await row(page, 'Living hope')
      .getByText(/You’re offline\. This will carry on when you’re back online/)
      .waitFor()
    await site.startAgain()
    await sounds(page)
  })
})

describe('cached prerendered pages', () => {
  /** Offline for the service worker too, whose navigator.onLine is not emulated. */
  const goOffline = async (page: Page) => {
    await page.context().setOffline(true)
    await comesTo(async () => {
      // A worker that is starting or stopping may never answer: poll again.
      const told = page
        .context()
        .serviceWorkers()
        .map((worker) => inTime(worker.evaluate(noLineHere)))
      return told.length > 0 && (await Promise.all(told)).every(Boolean)
    }, true)
  }
  const noLineHere = () => {
    Object.defineProperty(navigator, 'onLine', { get: () => false, configurable: true })
  }
  const keeps = (page: Page, words: string) =>
    comesTo(async () => (await cachedLibrary(page, site.url))?.includes(words) ?? false, true)
  const keepsNone = (page: Page) =>
    comesTo(
      () => page.evaluate(async () => (await caches.match('/teaching', { ignoreVary: true })) === undefined),
      true,
    )

  test('cached pages show rows before scripts, to visitors alone', async () => {
    const first = await site.visit('/', { allow: serverDown })
    await synced(first)
    await keeps(first, 'Living hope')
    await site.add(mp3('d.mp3'), { title: 'Rejoice always', speaker, date: '2026-11-22' })
    await keeps(first, 'Rejoice always')

    // Pages of a signed-in person are not cached.
    await addSessionCookie(await site.session(member), first.context())
    await first.goto(`${site.url}/teaching`)
    await keepsNone(first)
    expect((await (await first.reload())!.text()).includes('Living hope')).toBe(false)
    // An open page of the member would go on to ask for their work.
    await first.goto('about:blank')
    await first.context().clearCookies()
    await first.goto(`${site.url}/teaching`)
    await keeps(first, 'Rejoice always')

    await site.product.kill()
    for (const [path, words] of [
      ['/', 'Rejoice always'],
      ['/about', 'To know Jesus Christ'],
      ['/teaching', 'Rejoice always'],
    ] as const) {
      const answer = await first.goto(site.url + path)
      expect([path, (await answer!.text()).includes(words)]).toEqual([path, true])
    }
    expect(await titles(first)).toHaveLength(4)
    await first.getByRole('searchbox').fill('still')
    await comesTo(() => titles(first), ['Be still'])
    // A filtered URL is rendered in the browser, not from the cached page.
    const asked = await first.goto(`${site.url}/teaching?year=2025`)
    expect((await asked!.text()).includes('Rejoice always')).toBe(false)
    await comesTo(() => titles(first), ['Be still'])
  })

  nightly('cached pages yield to saved teachings when offline', async () => {
    const page = await site.visit('/teaching', { allow: [...serverDown, ...offlineErrors] })
    await synced(page)
    await keeps(page, 'Living hope')
    const drawn = async () => (await (await page.reload())!.text()).includes('Living hope')
    await goOffline(page)
    expect(await drawn()).toBe(true)
    await page.context().setOffline(false)
    await save(page, 'Be still')
    await goOffline(page)
    expect(await drawn()).toBe(false)
    await page.getByRole('heading', { name: 'Saved on this device' }).waitFor()
    await comesTo(() => titles(page), ['Be still'])
  })

  nightly('cached pages keep the chosen text size and contrast', async () => {
    const page = await site.visit('/teaching', { allow: serverDown })
    await synced(page)
    await keeps(page, '<html')
    await page.evaluate(() => localStorage.setItem('comfort', JSON.stringify({ text: 'larger' })))
    await page.reload()
    await keeps(page, '<html data-text="larger"')
    await site.product.kill()
    await page.evaluate(() => localStorage.setItem('comfort', '{}'))
    await page.reload()
    // Pages with outdated settings are deleted even though the server is down.
    await keepsNone(page)
    await comesTo(() => titles(page), ['The good shepherd', 'Living hope', 'Be still'])
  })
})
