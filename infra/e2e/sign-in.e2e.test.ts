import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { administrator, member, register, sessionOf } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, hold, row, seeToast, signIn, signInPanel, toast } from './support/screens.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

/** Starts on an empty data folder, so that the first administrator signs in for the first time. */
const site = journey({}, { firstStart: true })
const refused = '401 /api/auth/login'

const openPanel = (page: Page) => page.getByRole('button', { name: 'Sign In', exact: true }).click()
const accountButton = (page: Page, name: string) => page.getByRole('button', { name, exact: true })
/** The navigation of visitors and members. */
const everyone = ['Home', 'About', 'Teaching', 'Browse', 'My listening']
const pathOf = (page: Page) => page.url().slice(site.url.length)

describe('signing in', () => {
  nightly('wrong password and unknown account get one message', async () => {
    const page = await site.visit('/', { allow: [refused] })
    await openPanel(page)
    for (const email of [administrator.email, 'stranger@example.org']) {
      await answered(page, () => signIn(page, { email, password: 'not-the-password' }))
      await seeToast(page, 'Login failed', 'Email or password is incorrect.')
    }
    await comesTo(() => toast(page, 'Login failed').count(), 1)
    await comesTo(() => signInPanel(page).isVisible(), true)
  })

  nightly('locks an account after five wrong passwords', async () => {
    const owner = { name: 'Lou Locked', email: 'locked@example.org', password: 'the-right-password' }
    await register(site.url, owner)
    const page = await site.visit('/', { allow: [refused, '423 /api/auth/login'] })
    await openPanel(page)
    for (const _ of [1, 2, 3, 4]) {
      await answered(page, () => signIn(page, { ...owner, password: 'a-guess' }))
      await seeToast(page, 'Login failed', 'Email or password is incorrect.')
    }
    const locked = 'Too many wrong passwords. Try again in 15 minutes.'
    await answered(page, () => signIn(page, { ...owner, password: 'a-guess' }))
    await seeToast(page, 'Login failed', locked)
    await answered(page, () => signIn(page, owner))
    await seeToast(page, 'Login failed', locked)
    await comesTo(() => signInPanel(page).isVisible(), true)
  })

  test('signs in, shows the account, and signs out', async () => {
    const page = await site.visit('/about')
    const release = await hold(page, '**/api/auth/login')
    await openPanel(page)
    await signInPanel(page).getByRole('heading', { name: 'Sign In' }).waitFor()
    await signInPanel(page).getByText('Access the admin panel').waitFor()
    await signIn(page, administrator)
    await signInPanel(page).getByRole('button', { name: 'Signing In...' }).waitFor()
    release()
    await seeToast(page, 'Login successful', 'Welcome back!')
    await signInPanel(page).waitFor({ state: 'hidden' })
    expect(pathOf(page)).toBe('/about')

    const releaseOut = await hold(page, '**/api/auth/logout')
    await accountButton(page, administrator.name).click()
    const card = page.getByRole('dialog', { name: 'Your account' })
    await card.getByText(administrator.name, { exact: true }).waitFor()
    await card.getByText(administrator.email, { exact: true }).waitFor()
    await card.getByRole('button', { name: 'Sign Out' }).click()
    await card.getByRole('button', { name: 'Signing Out...' }).waitFor()
    releaseOut()
    await seeToast(page, 'Logout successful', 'You have been logged out.')
    await page.waitForURL(`${site.url}/`)
    await openPanel(page)
    await comesTo(() => signInPanel(page).getByLabel('Email').inputValue(), '')
    await comesTo(() => signInPanel(page).getByLabel('Password').inputValue(), '')
  })
})

nightlySuite('the return address', () => {
  nightly('/api/login opens the panel and returns', async () => {
    const page = await site.visit('/api/login?return=/teaching')
    expect(new URL(page.url()).searchParams.get('return')).toBe('/teaching')
    await signIn(page, administrator)
    await page.waitForURL(`${site.url}/teaching`)
    await page.getByRole('heading', { name: 'Teaching', exact: true, level: 1 }).waitFor()
    await signInPanel(page).waitFor({ state: 'hidden' })
    await accountButton(page, administrator.name).waitFor()
  })

  nightly('ignores a return address on another origin', async () => {
    const page = await site.visit('/', { as: member })
    const shown: string[] = []
    page.on('framenavigated', (frame) => shown.push(frame.url()))
    await page.context().route('**://evil.example/**', (route) => route.fulfill({ body: 'evil' }))
    for (const address of [
      'https://evil.example/admin',
      '//evil.example/admin',
      '/\\evil.example',
      '/.//evil.example',
      'javascript:document.title="evil"',
    ]) {
      const wanted = encodeURIComponent(address)
      const { status, location } = await redirectOf(`/api/login?return=${wanted}`)
      expect([status, location], address).toEqual([302, '/?signin&return=%2F'])
      // The page validates it too: a link may lead to it directly.
      await page.goto(`${site.url}/?signin&return=${wanted}`)
      await accountButton(page, member.name).waitFor()
      await comesTo(() => page.url(), `${site.url}/`)
    }
    expect(shown.filter((address) => !address.startsWith(`${site.url}/`))).toEqual([])
    expect(await page.title()).not.toBe('evil')
  })

  nightly('a foreign return address stays on the home page', async () => {
    const page = await site.visit(`/api/login?return=${encodeURIComponent('https://evil.example/')}`)
    await signIn(page, member)
    await accountButton(page, member.name).waitFor()
    await comesTo(() => page.url(), `${site.url}/`)
  })
})

nightlySuite('administrator access', () => {
  nightly('a visitor sees neither Admin nor an account', async () => {
    const page = await site.visit('/')
    await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor()
    expect(await page.getByRole('link', { name: 'Admin' }).count()).toBe(0)
  })

  nightly.each([
    { person: member, links: everyone, manage: 0 },
    { person: administrator, links: [...everyone, 'Admin'], manage: 1 },
  ])('shows $person.name $links', async ({ person, links, manage }) => {
    const page = await site.visit('/', { as: person })
    await accountButton(page, person.name).click()
    const card = page.getByRole('dialog', { name: 'Your account' })
    await card.getByText(person.email).waitFor()
    expect(await card.getByRole('link', { name: 'Manage' }).count()).toBe(manage)
    await page.keyboard.press('Escape')
    await card.waitFor({ state: 'hidden' })
    const navigation = page.getByRole('navigation', { name: 'Main' })
    await comesTo(() => navigation.getByRole('link').allTextContents(), links)
  })

  nightly('an administrator reaches /admin and /manage', async () => {
    const page = await site.visit('/', { as: administrator })
    await page.getByRole('link', { name: 'Admin', exact: true }).click()
    await page.getByRole('heading', { name: 'Administration', level: 1 }).waitFor()
    await accountButton(page, administrator.name).click()
    await page.getByRole('link', { name: 'Manage' }).click()
    await page.getByRole('heading', { name: 'User Management', level: 1 }).waitFor()
    expect(pathOf(page)).toBe('/manage')
  })

  nightly.each([
    { who: 'a member', person: member, paths: ['/admin', '/manage'] },
    { who: 'a visitor', person: undefined, paths: ['/manage'] },
  ])('redirects $who from $paths to the home page', async ({ person, paths }) => {
    const page = await site.visit('/about', person ? { as: person } : {})
    for (const path of paths) {
      await page.goto(site.url + path)
      await page.waitForURL(`${site.url}/`)
      await page.getByRole('heading', { name: /^Welcome to/ }).waitFor()
      expect(await page.getByRole('heading', { name: /^(Administration|User Management)$/ }).count()).toBe(0)
    }
  })

  nightly('a visitor at /admin signs in and returns', async () => {
    const page = await site.visit('/about')
    await timeToLeave(page, 'Admin Panel')
    // Before it leaves it asks whether the server is there; until it is told, the page can be read.
    const { askedAt, answer } = await holdLeaving(page)
    // The last parts of the page are still loading: the message does not wait for them.
    await page.route('**/assets/background-*.js', () => undefined)
    await page.goto(`${site.url}/admin`)
    await page.getByRole('heading', { name: 'Admin Panel', level: 1 }).waitFor()
    await seeToast(page, 'Authentication Required')
    await comesTo(() => page.getByRole('link', { name: 'Log In' }).getAttribute('href'), '/')
    const shownAt = await page.evaluate(() => Number(sessionStorage.getItem('seen')))
    expect((await askedAt) - shownAt).toBeGreaterThanOrEqual(1_400)
    await page.unroute('**/assets/background-*.js')
    answer()
    await page.waitForURL(`${site.url}/?signin&return=%2Fadmin`)
    await signIn(page, administrator)
    await page.getByRole('heading', { name: 'Administration', level: 1 }).waitFor()
    expect(pathOf(page)).toBe('/admin')
  })
})

nightlySuite('a session that ended on the server', () => {
  nightly('a change after an expired session is sent after sign-in', async () => {
    await site.add(mp3('hope.mp3'), { title: 'Hope', speaker: 'John Smith', date: '2026-11-22' })
    const page = await site.visit('/api/login?return=/teaching', { allow: [/^401 \/api\/teachings\/\d+/] })
    await signIn(page, member)
    await row(page, 'Hope').getByRole('button', { name: 'Delete Hope' }).click()
    await call(auth.logout, {}, await sessionOf(page.context(), site.url))
    const shownMs = await timeToLeave(page, 'You are logged out. Logging in again...')

    // Looked for before the press, as the press may be reported after the page has left.
    await Promise.all([
      seeToast(page, 'Unauthorized', 'You are logged out. Logging in again...'),
      page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click(),
    ])
    await page.waitForURL(`${site.url}/?signin&return=%2Fteaching`)
    expect(await shownMs()).toBeGreaterThanOrEqual(400)
    await signIn(page, member)
    await page.waitForURL(`${site.url}/teaching`)
    // The deletion is sent after signing in.
    await seeToast(page, 'Teaching Deleted')
    await page.getByText('No teaching available.').waitFor()
    expect(await site.list()).toEqual([])
  })
})

describe('controls of a signed-in user', () => {
  beforeAll(async () => {
    await site.empty()
    await site.add(mp3('a.mp3'), { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-15' })
    await site.add(mp3('b.mp3', { bytes: 60_000 }), {
      title: 'Faith, and how it comes by hearing',
      speaker: 'Jane Doe',
      date: '2026-11-08',
      scriptureReference: 'Romans 10:17',
    })
  })

  nightly.each([
    [1280, 800, administrator.name, administrator],
    [1280, 800, member.name, member],
    [360, 740, administrator.name, administrator],
  ])('user controls reserve space at %i × %i for %s', async (width, height, _, as) => {
    const page = await site.visit('/teaching', { as, viewport: { width, height } })
    const tool = row(page, 'Hope').getByRole('button', {
      name: width > 640 ? 'Edit Hope' : 'More for Hope',
    })
    await tool.waitFor()
    await isKnownHere(page)
    const release = await hold(page, '**/api/auth/user')
    await page.reload()
    await row(page, 'Hope').waitFor()
    const early = await standing(page)
    expect(Object.keys(early).length).toBeGreaterThan(12)
    release()
    await tool.waitFor()
    await page.getByRole('button', { name: 'Upload', exact: true }).waitFor()
    const late = await standing(page)
    expect(Object.fromEntries(Object.keys(early).map((name) => [name, late[name]]))).toEqual(early)
  })

  nightly.each([
    [1280, 800],
    [360, 740],
  ])('user controls reserve space on My listening at %i × %i', async (width, height) => {
    const page = await site.visit('/listening', { as: member, viewport: { width, height } })
    const theSwitch = page.getByRole('switch', { name: 'Keep my listening on all my devices' })
    await page.getByText('Off: no listening is sent to your account.').waitFor()
    await isKnownHere(page)
    const release = await hold(page, '**/api/auth/user')
    await page.reload()
    const below = page.getByRole('heading', { name: 'Favourites' })
    await below.waitFor()
    await page.evaluate(() => document.fonts.ready.then(() => undefined))
    const top = async () => (await below.boundingBox())!.y
    const early = await top()
    release()
    await theSwitch.waitFor()
    expect(Math.abs((await top()) - early)).toBeLessThan(4)
  })

  test('user controls reserve space on a server-rendered page', async () => {
    const page = await site.visit('/teaching', {
      as: member,
      serviceWorkers: 'block',
      allow: ['Service Worker registration blocked by Playwright'],
    })
    const release = await hold(page, '**/api/auth/user')
    await page.evaluate(() => localStorage.clear())
    await page.reload()
    await row(page, 'Hope')
      .getByRole('button', { name: /^Save offline/ })
      .waitFor()
    const early = await standing(page)
    release()
    await row(page, 'Hope').getByRole('button', { name: 'Edit Hope' }).waitFor()
    const late = await standing(page)
    expect(Object.fromEntries(Object.keys(early).map((name) => [name, late[name]]))).toEqual(early)
  })

  nightly('reserves no space for a user signed out elsewhere', async () => {
    // The page asks for the account's listening once it has settled, which can be after the cookies are gone.
    const page = await site.visit('/teaching', { as: member, allow: ['401 /api/listening'] })
    await row(page, 'Hope').getByRole('button', { name: 'Edit Hope' }).waitFor()
    await page.context().clearCookies()
    await page.reload()
    await page.getByRole('button', { name: 'Sign In' }).waitFor()
    // The list has its full width again.
    const right = async () => {
      const { x, width } = (await page.getByRole('button', { name: 'Sync' }).boundingBox())!
      return x + width > 1100
    }
    await comesTo(right, true)
  })
})

/** Waits until the signed-in user is stored on this device and the service worker controls the page. */
const isKnownHere = async (page: Page): Promise<void> =>
  comesTo(
    () => page.evaluate(() => navigator.serviceWorker.controller !== null && 'signed-in' in localStorage),
    true,
  )

/** Position and size of every control and text in header and main, by its label. */
const standing = (page: Page): Promise<Record<string, string>> =>
  page.evaluate(async () => {
    await document.fonts.ready
    const all = [
      ...document.querySelectorAll('header :is(a, button), main :is(h1, h2, h3, button, input, time)'),
    ]
    return Object.fromEntries(
      all
        .map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect()
          const words = element.getAttribute('aria-label') ?? element.textContent
          return [`${element.tagName} ${words}`, [x, y, width, height].map(Math.round).join(' ')] as const
        })
        .filter(([, place]) => !place.endsWith(' 0 0')),
    )
  })

/** Submits the form and waits for the response, so that a toast belongs to this attempt. */
async function answered(page: Page, send: () => Promise<void>): Promise<void> {
  const answer = page.waitForResponse('**/api/auth/login')
  await send()
  await answer
}

async function redirectOf(path: string) {
  const response = await fetch(site.url + path, { redirect: 'manual', signal: AbortSignal.timeout(30_000) })
  // A body that is not read keeps its connection, and may abort a later request when it is collected.
  await response.arrayBuffer()
  return { status: response.status, location: response.headers.get('location') }
}

/** Holds back the answer to the question that comes before leaving; `askedAt` is when it came, in epoch milliseconds. */
async function holdLeaving(page: Page): Promise<{ askedAt: Promise<number>; answer: () => void }> {
  let answer = () => {}
  const answered = new Promise<void>((resolve) => (answer = resolve))
  let asked = (_at: number) => {}
  const askedAt = new Promise<number>((resolve) => (asked = resolve))
  await page.route('**/api/auth/user', async (route) => {
    if (route.request().method() !== 'HEAD') return route.fallback()
    asked(Date.now())
    await answered
    return route.continue()
  })
  return { askedAt, answer }
}

/** Measures for how many milliseconds a text is on the screen before the page is left. */
async function timeToLeave(page: Page, words: string): Promise<() => Promise<number>> {
  const watch = (sought: string) => {
    const note = (name: string) => {
      sessionStorage.setItem(name, String(performance.timeOrigin + performance.now()))
    }
    new MutationObserver(() => {
      if (!sessionStorage.getItem('seen') && document.body?.textContent.includes(sought)) note('seen')
    }).observe(document, { subtree: true, childList: true, characterData: true })
    addEventListener('pagehide', () => {
      if (sessionStorage.getItem('seen') && !sessionStorage.getItem('left')) note('left')
    })
  }
  await page.addInitScript(watch, words)
  await page.evaluate(watch, words)
  return () =>
    page.evaluate(() => Number(sessionStorage.getItem('left')) - Number(sessionStorage.getItem('seen')))
}
