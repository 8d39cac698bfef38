import { elders } from '@fellowship/schema/elders/elders.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { openBrowser } from './support/browser.ts'
import { watchConsole } from './support/console.ts'
import { journey } from './support/journey.ts'
import { administrator, addSessionCookie, member, register } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import {
  administration,
  comesTo,
  goWithin,
  hold,
  pickFile,
  play,
  row,
  running,
  seeToast,
  signInPanel,
  sounds,
  uploadPanel,
  whenStarted,
} from './support/screens.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()
const phone = { viewport: { width: 360, height: 740 } }

let uid: string

beforeAll(async () => {
  const fields = { title: 'Hope in Christ', speaker: 'Jane Doe', date: '2026-03-01' }
  const added = await site.add(mp3('a.mp3', { bytes: 400_000 }), {
    ...fields,
    scriptureReference: 'Romans 8:28-39',
  })
  uid = added.uid
})

const pages = [
  ['/about', 'Who We Are'],
  ['/teaching', 'Teaching'],
  ['/browse', 'Browse'],
  ['/listening', 'My listening'],
  ['/nowhere', '404 Page Not Found'],
  ['/', /^Welcome to/],
] as const

const drawer = (page: Page) => page.getByRole('dialog', { name: 'Menu' })
const menuButton = (page: Page) => page.getByRole('button', { name: 'Open the menu' })
const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })
/** The label of the focused element. */
const focused = (page: Page) =>
  page.evaluate(
    () => document.activeElement?.getAttribute('aria-label') ?? document.activeElement?.textContent,
  )

/** Presses Tab until the element with this label is focused. */
async function tabTo(page: Page, label: string): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    if ((await focused(page)) === label) return
    await page.keyboard.press('Tab')
  }
  expect(await focused(page), 'Tab did not come to it').toBe(label)
}

describe('the drawer of a narrow screen', () => {
  test('traps the focus, goes back, signs in and out', async () => {
    const page = await site.visit('/', { ...phone, reducedMotion: 'no-preference' })
    const places = page.getByRole('navigation', { name: 'Main' }).getByRole('link')
    await comesTo(() => places.allTextContents(), ['Teaching', 'Browse', 'My listening'])
    const moving = longestAnimation(page)
    await menuButton(page).click()
    await drawer(page).getByRole('button', { name: 'Close the menu' }).waitFor()
    expect(await moving).toBeGreaterThan(50)
    expect(await scrollBehavior(page)).toBe('smooth')
    expect(await drawer(page).getByRole('link').allTextContents()).toEqual([
      'Home',
      'About',
      'Teaching',
      'Browse',
      'My listening',
    ])
    const stops = [
      'Close the menu',
      'Home',
      'About',
      'Teaching',
      'Browse',
      'My listening',
      'Settings',
      'Sign In',
    ]
    for (const key of ['Tab', 'Shift+Tab']) {
      const visited = new Set<unknown>()
      for (let presses = 0; presses <= stops.length; presses++) {
        await page.keyboard.press(key)
        visited.add(await focused(page))
      }
      expect(visited, key).toEqual(new Set(stops))
    }
    await page.keyboard.press('Escape')
    await drawer(page).waitFor({ state: 'hidden' })
    await comesTo(() => focused(page), 'Open the menu')

    await page.emulateMedia({ reducedMotion: 'reduce' })
    const still = longestAnimation(page)
    await menuButton(page).click()
    await drawer(page).waitFor()
    expect(await still).toBeLessThanOrEqual(50)
    expect(await scrollBehavior(page)).toBe('auto')
    await drawer(page).getByRole('link', { name: 'About' }).click()
    await heading(page, 'Who We Are').waitFor()
    await drawer(page).waitFor({ state: 'hidden' })
    await menuButton(page).click()
    await drawer(page).waitFor()
    await page.goBack()
    await drawer(page).waitFor({ state: 'hidden' })
    await comesTo(() => focused(page), 'Open the menu')
    expect(page.url()).toBe(`${site.url}/about`)
    await page.goBack()
    await heading(page, /^Welcome to/).waitFor()

    await menuButton(page).click()
    await drawer(page).getByRole('button', { name: 'Sign In' }).click()
    await signInPanel(page).getByLabel('Email').fill(administrator.email)
    await signInPanel(page).getByLabel('Password').fill(administrator.password)
    await page.keyboard.press('Enter')
    await seeToast(page, 'Login successful', 'Welcome back!')
    for (const [path, title] of pages) {
      await goWithin(page, path)
      await heading(page, title).waitFor()
      if (path === '/teaching') {
        await page.getByRole('button', { name: 'Upload', exact: true }).click()
        await uploadPanel(page).getByLabel('Audio file').waitFor()
      }
      expect(await overflow(page), path).toBeLessThanOrEqual(0)
    }
    await menuButton(page).click()
    await drawer(page).getByText(administrator.email).waitFor()
    expect(await drawer(page).getByRole('link').allTextContents()).toEqual([
      'Home',
      'About',
      'Teaching',
      'Browse',
      'My listening',
      'Admin',
      'Upload Teaching',
      'Manage',
      'My listening',
    ])
    const signOut = (await drawer(page).getByRole('button', { name: 'Sign Out' }).boundingBox())!
    expect(signOut.y + signOut.height).toBeLessThanOrEqual(phone.viewport.height)
    await drawer(page).getByRole('button', { name: 'Sign Out' }).click()
    await seeToast(page, 'Logout successful', 'You have been logged out.')
  })

  nightly('returns the focus before the dialog code has loaded', async () => {
    const page = await site.visit('/robots.txt', { ...phone, firstVisit: true, allow: ['404 /favicon.ico'] })
    let comes = () => {}
    const pressed = new Promise<void>((resolve) => (comes = resolve))
    await page.route('**/assets/dialogs-*.js', (route) => pressed.then(() => route.continue()))
    await page.goto(site.url)
    await menuButton(page).press('Enter')
    comes()
    await drawer(page).getByRole('button', { name: 'Close the menu' }).waitFor()
    await page.keyboard.press('Escape')
    await drawer(page).waitFor({ state: 'hidden' })
    await comesTo(() => focused(page), 'Open the menu')
  })

  nightly('navigates to each page and closes', async () => {
    const page = await site.visit('/', phone)
    for (const [label, path, title] of [
      ['About', '/about', 'Who We Are'],
      ['Teaching', '/teaching', 'Teaching'],
      ['Browse', '/browse', 'Browse'],
      ['My listening', '/listening', 'My listening'],
      ['Home', '/', /^Welcome to/],
    ] as const) {
      await menuButton(page).click()
      await drawer(page).getByRole('link', { name: label }).click()
      await heading(page, title).waitFor()
      await drawer(page).waitFor({ state: 'hidden' })
      expect(page.url()).toBe(site.url + path)
    }
  })
})

nightlySuite('URLs', () => {
  test('highlights the current link', async () => {
    const page = await site.visit('/', { as: administrator, allow: [/^404 \/(about|teachings)/] })
    const current = () =>
      page.getByRole('navigation', { name: 'Main' }).locator('[aria-current="page"]').allTextContents()
    for (const [path, links] of [
      ['/', ['Home']],
      ['/?signin', ['Home']],
      ['/about', ['About']],
      ['/about#elder-jane-doe', ['About']],
      ['/about/elders', ['About']],
      [`/teaching?t=${uid}`, ['Teaching']],
      ['/teachings', []],
      ['/admin', ['Admin']],
      ['/manage', []],
    ] as const) {
      await page.goto(site.url + path)
      await heading(page, /./).waitFor()
      await page.getByRole('button', { name: administrator.name, exact: true }).waitFor()
      expect(await current(), path).toEqual(links)
    }
  })

  test('an unknown page links to the library and home', async () => {
    // A first visit, so that the server answers and not the cache.
    const page = await site.visit('/', { firstVisit: true, allow: ['404 /no/such/page'] })
    const answer = await page.goto(`${site.url}/no/such/page`)
    expect(answer?.status()).toBe(404)
    await heading(page, '404 Page Not Found').waitFor()
    expect(await page.title()).toContain('404 Page Not Found')
    await page.getByRole('link', { name: 'Find a teaching' }).click()
    await heading(page, 'Teaching').waitFor()
    await page.goBack()
    await heading(page, '404 Page Not Found').waitFor()
    await page.getByRole('link', { name: 'Go to the home page' }).click()
    await heading(page, /^Welcome to/).waitFor()
  })
})

nightly('Back closes the inner of two dialogs first', async () => {
  const page = await site.visit('/teaching')
  await play(page, 'Hope in Christ')
  await page.getByRole('link', { name: 'About', exact: true }).first().click()
  await heading(page, 'Who We Are').waitFor()
  await page.evaluate(() => scrollTo(0, 400))
  await page.getByRole('button', { name: /^Open the player: / }).click()
  const player = page.getByRole('dialog', { name: 'Hope in Christ' })
  await player.getByRole('button', { name: /^Share/ }).click()
  const sharing = page.getByRole('dialog', { name: /^Share/ })
  await sharing.waitFor()
  await page.goBack()
  await sharing.waitFor({ state: 'hidden' })
  await player.waitFor()
  await page.goBack()
  await player.waitFor({ state: 'hidden' })
  await heading(page, 'Who We Are').waitFor()
  expect(await page.evaluate(() => scrollY)).toBe(400)
  await page.goBack()
  await heading(page, 'Teaching').waitFor()
})

describe('with the keyboard alone', () => {
  test('signs in, finds, plays and seeks a teaching', async () => {
    const page = await site.visit('/')
    const { keyboard } = page
    await whenStarted(page)
    await tabTo(page, 'Skip to the content')
    await tabTo(page, 'Sign In')
    await keyboard.press('Enter')
    await signInPanel(page).waitFor()
    await comesTo(
      () =>
        signInPanel(page)
          .getByLabel('Email')
          .evaluate((it) => it === document.activeElement),
      true,
    )
    await keyboard.type(member.email)
    await keyboard.press('Tab')
    await keyboard.type(member.password)
    const release = await hold(page, '**/api/auth/login')
    await keyboard.press('Enter')
    release()
    await seeToast(page, 'Login successful', 'Welcome back!')
    // Before the toast disappears: an empty region takes no focus.
    await keyboard.press('F8')
    await comesTo(
      () =>
        page
          .getByRole('region', { name: /^Notifications/ })
          .evaluate((it) => it.contains(document.activeElement)),
      true,
    )
    await signInPanel(page).waitFor({ state: 'hidden' })

    await tabTo(page, 'Teaching')
    await keyboard.press('Enter')
    await heading(page, 'Teaching').waitFor()
    await row(page, 'Hope in Christ').waitFor()
    await tabTo(page, 'Play Hope in Christ')
    await keyboard.press('Enter')
    await sounds(page)
    await tabTo(page, 'Position')
    const before = (await running(page))[0]!.at
    for (let times = 0; times < 20; times++) await keyboard.press('ArrowRight')
    await comesTo(async () => ((await running(page))[0]?.at ?? 0) >= before + 15, true)
    await keyboard.press('Home')
    await comesTo(async () => ((await running(page))[0]?.at ?? 99) < before + 5, true)
    await sounds(page)
    await page.getByRole('button', { name: 'Pause', exact: true }).waitFor()
    await tabTo(page, 'Pause')
    await keyboard.press('Space')
    await comesTo(() => running(page), [])
  })
})

nightlySuite('browser preferences', () => {
  test('no page overflows 1280 pixels at twice the text size', async () => {
    const browser = await openBrowser({ textSizePx: 32 })
    try {
      const page = browser.context.pages()[0]!
      const heard = watchConsole(page, { allow: ['404 /nowhere'] })
      const fits = async (what: string) => {
        await heading(page, /./).waitFor()
        expect(await page.evaluate(() => getComputedStyle(document.documentElement).fontSize)).toBe('32px')
        expect(await overflow(page), what).toBeLessThanOrEqual(0)
      }
      for (const path of ['/', '/about', '/nowhere', '/listening', '/teaching']) {
        await page.goto(site.url + path)
        await fits(path)
      }
      await play(page, 'Hope in Christ')
      await fits('the player')
      await addSessionCookie(await site.session(member), browser.context)
      await page.reload()
      await row(page, 'Hope in Christ').waitFor()
      await pickFile(page, mp3('a name that says nothing.mp3'))
      await uploadPanel(page).getByText('Parsing Issues Found').waitFor()
      await fits('the upload panel')
      await addSessionCookie(await site.session(), browser.context)
      for (const { path, shown } of administration) {
        if (path === administration[0]!.path) await page.goto(site.url + path)
        else await goWithin(page, path)
        await page.getByText(shown).first().waitFor()
        await fits(path)
      }
      await goWithin(page, '/admin?tab=content&part=podcast')
      await page.getByRole('button', { name: 'Test my feed' }).click()
      await page.getByText('Every recording can be downloaded').waitFor()
      await fits('a tested feed')
      expect(heard.noise()).toEqual([])
    } finally {
      await browser.close()
    }
  })

  test('unbreakable words and large text do not overflow a phone', async () => {
    const endless = 'Whakaruruhau'.repeat(15)
    const session = await site.session()
    const added = await site.add(mp3('b.mp3'), { title: endless, speaker: endless, date: '2026-03-08' })
    const bios = { shortBio: endless, extendedBio: endless }
    const body = { name: endless, role: endless.slice(0, 100), displayOrder: 0, imageUrl: null, ...bios }
    const elder = await call(elders.create, { body }, session)
    try {
      const page = await site.visit('/', { ...phone, as: administrator, firstVisit: true })
      const found: string[] = []
      for (const path of ['/', '/about', '/teaching', '/admin?tab=content&part=elders']) {
        await page.goto(site.url + path)
        await page
          .getByRole('main')
          .getByRole('heading', { name: endless })
          .or(page.getByRole('link', { name: endless }))
          .first()
          .waitFor()
        for (const textSize of ['100%', '200%']) {
          await page.evaluate((size) => (document.documentElement.style.fontSize = size), textSize)
          const cut = await page.getByRole('main').evaluate((main) =>
            [...main.querySelectorAll('h3, p, p span, nav a, button')]
              .filter((part) => part.checkVisibility() && !part.closest('.sr-only, [role=tablist]'))
              .filter((part) => part.getBoundingClientRect().right > document.documentElement.clientWidth)
              .map((part) => part.textContent.slice(0, 20)),
          )
          for (const text of cut) found.push(`${path} at ${textSize}: ${text}`)
        }
      }
      expect(found).toEqual([])
    } finally {
      await call(elders.remove, { params: { id: elder.id } }, session)
      await call(teachings.remove, { params: { id: added.id } }, session)
    }
  })

  test.each([16, 21])('a long account name fits the header at %i px', async (size) => {
    const name = `${'Whakaruruhau'.repeat(4)} ${size}`
    const person = { ...member, name, email: `long-${size}@example.org` }
    await register(site.url, person)
    for (const as of [person, administrator]) {
      const page = await site.visit('/', { as, viewport: { width: 1024, height: 740 } })
      await page.evaluate((px) => (document.documentElement.style.fontSize = `${px}px`), size)
      const account = page.getByRole('banner').getByRole('button', { name: as.name })
      await account.waitFor()
      const { x, width } = (await account.boundingBox())!
      expect(x + width).toBeLessThan(1024)
      expect(width).toBeLessThanOrEqual(14 * size)
      expect(await overflow(page)).toBeLessThanOrEqual(0)
    }
  })
})

/** Horizontal overflow in pixels. */
const overflow = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth)

/** The milliseconds of the longest animation running when the next one starts. */
const longestAnimation = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<number>((resolve) =>
        document.addEventListener(
          'animationstart',
          () =>
            resolve(
              Math.max(
                ...document.getAnimations().map((it) => Number(it.effect!.getComputedTiming().duration)),
              ),
            ),
          { once: true },
        ),
      ),
  )

const scrollBehavior = (page: Page) =>
  page.evaluate(() => getComputedStyle(document.documentElement).scrollBehavior)
