import { backup } from '@fellowship/schema/backup/backup.contract'
import { addressLine, church } from '@fellowship/schema/church'
import { events } from '@fellowship/schema/events/events.contract'
import { notices } from '@fellowship/schema/notices/notices.contract'
import { prerenderedPaths } from '@fellowship/schema/pages/prerender-data'
import { series } from '@fellowship/schema/series/series.contract'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { users } from '@fellowship/schema/users/users.contract'
import { call } from '@fellowship/sync/call/call'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { inSoak } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { addSessionCookie, administrator } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, sounds, titles } from './support/screens.ts'

const root = join(import.meta.dirname, '../..')
const site = journey({ CONTACT_EMAIL: 'elders@example.org' })
/** The page of a teaching with chapters. */
let chapters: string

beforeAll(async () => {
  for (const day of [1, 2, 3, 4, 5, 6])
    await site.add(mp3('a.mp3', { bytes: 100_000 + day }), {
      title: `Study <${day}>`,
      speaker: day === 1 ? 'Hēmi Smith' : 'Jane Doe',
      date: `2026-03-0${day}`,
      scriptureReference: day === 1 ? 'Genesis 12:1-9' : `Romans 8:${day}`,
    })
  const fields = { title: 'Heard', speaker: 'Jane Doe', date: '2025-03-01' }
  const parts = '0:00 Welcome\n0:01 The father who ran (teaching starts here)'
  chapters = teachingPath(await site.add(mp3('b.mp3', { bytes: 110_000 }), { ...fields, chapters: parts }))
  const uidOf = (title: string, rows: Teaching[]) => rows.find((each) => each.title === title)!.uid
  const rows = await site.list()
  const teachings = ['Study <5>', 'Study <6>'].map((title) => uidOf(title, rows))
  const description = 'Begin with Romans 8:1.'
  await call(series.create, { body: { title: 'Free & sure', description, teachings } }, await site.session())
})

/** The built files that contain any of these words. */
async function filesWith(folder: string, words: readonly string[]): Promise<string[]> {
  const entries = await readdir(join(root, folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  expect(files.length).toBeGreaterThan(5)
  const found: string[] = []
  for (const { parentPath, name } of files) {
    const text = await readFile(join(parentPath, name), 'latin1')
    for (const word of words) if (text.includes(word)) found.push(`${name}: ${word}`)
  }
  return found
}

const html = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(site.url + path, { headers: { accept: 'text/html', ...headers } })).text()

test('the HTML has its content before scripts and follows the library', async () => {
  expect(await html('/')).toContain('there is a seat for you among us')
  expect(await html('/')).toContain('Study &lt;6&gt;')
  expect(await html('/about')).toContain('To know Jesus Christ and to make him known')
  const about = await html('/about')
  expect(about).toContain('they continued stedfastly in the apostles')
  expect(about.match(/<blockquote/g)).toHaveLength(3)
  const library = await html('/teaching')
  expect(library).not.toContain('stedfastly')
  expect(library).toContain('Study &lt;2&gt;')
  expect(library).not.toContain('Study &lt;1&gt;')
  expect(library).toContain('elders@example.org')
  expect(library).toContain('<style>')
  expect(library).toContain('<script type="module" fetchpriority="low"')
  const [content = '', preloads = ''] = library.split('<div id="toasts">')
  expect(content).not.toContain('<link rel="modulepreload"')
  expect(preloads.match(/<link rel="modulepreload" fetchpriority="low"/g)!.length).toBeGreaterThan(5)
  expect(library).not.toContain('<link rel="part-of')
  for (const path of ['/teaching?book=Romans', '/nowhere', '/admin'])
    expect([path, (await html(path)).includes('<div id="root"></div>')]).toEqual([path, true])
  await site.add(mp3('a.mp3', { bytes: 90_000 }), { title: 'New', speaker: 'Jane Doe', date: '2026-04-01' })
  expect(await html('/teaching')).toContain('New')
})

test('the HTML of lists has their members, and leads on', async () => {
  const inMain = async (path: string) => /<main.*<\/main>/s.exec(await html(path))?.[0]
  expect(await inMain('/speakers')).toContain('href="/speakers/hemi-smith"')
  expect(await inMain('/books')).toMatch(/Old Testament.*Genesis.*New Testament.*Romans/s)
  expect(await inMain('/speakers/hemi-smith')).toMatch(/1 teaching.*Study &lt;1&gt;/s)
  expect(await inMain('/books/romans')).toMatch(/<h1[^>]*>Romans<.*Study &lt;5&gt;.*Study &lt;6&gt;/s)
  expect(await html('/speakers/hemi-smith/feed.xml')).toContain('<title>Study &lt;1&gt;</title>')
  expect(await inMain('/series')).toMatch(
    /href="\/series\/free-sure"[^>]*>(<[^>]*>)*Free &amp; sure<.*2 teachings/s,
  )
  expect(await inMain('/series/free-sure')).toMatch(
    /<h1[^>]*>Free &amp; sure<.*2 teachings.*Begin with .*Romans 8:1.*Study &lt;5&gt;.*Study &lt;6&gt;/s,
  )
  const last = (await site.list()).find(({ title }) => title === 'Study <6>')!
  expect(await inMain(teachingPath(last))).toMatch(
    /Free &amp; sure<.*2 of 2.*Previous in the series.*Study &lt;5&gt;.*href="\/series\/free-sure"/s,
  )
})

test('the HTML has what an administrator wrote, and no church of a fresh start', async () => {
  const admin = await site.session(administrator)
  expect(await html('/')).not.toContain('Coming up')
  const day = new Date(Date.now() + 172_800_000).toISOString().slice(0, 10)
  const times = { starts: `${day}T10:00`, ends: `${day}T11:00`, repeats: null, cancelled: [] }
  await call(events.create, { body: { title: 'Breakfast', place: '', description: '', ...times } }, admin)
  const notice = { text: 'The hall is being painted.', from: '2026-01-01', until: '9999-12-31' }
  await call(notices.create, { body: notice }, admin)
  for (const words of ['Coming up', 'Breakfast', notice.text]) expect(await html('/')).toContain(words)
  expect(await html('/events')).toContain('Breakfast')

  const fresh = church()
  const built = [
    fresh.name,
    fresh.address.street,
    addressLine(fresh.address),
    fresh.contactEmail,
    fresh.accent,
  ]
  for (const folder of ['web/dist', 'api/dist']) expect(await filesWith(folder, built)).toEqual([])
})

test('a browser that cannot run the site gets the recording', async () => {
  const page = await site.visit('/about', { allow: [/SyntaxError|Unexpected/] })
  await page.route('**/assets/*.js', (route) =>
    route.fulfill({ contentType: 'text/javascript', body: 'let x = ;' }),
  )
  const { audioUrl, uid } = (await site.list())[0]!
  // Not by `goto`, which waits for the site to run.
  await page.evaluate((to) => location.assign(to), `${site.url}/teaching?t=${uid}`)
  await page.waitForURL(/\/teaching\/./)
  const sentence = page.getByText('or this browser is too old for it')
  expect(await sentence.isVisible(), 'at once').toBe(false)
  await page.evaluate(() => document.getAnimations().forEach((animation) => animation.finish()))
  await sentence.waitFor()
  expect(await page.getByRole('link', { name: 'Open the recording itself' }).getAttribute('href')).toBe(
    audioUrl,
  )
})

test('the icons of a page exist', async () => {
  const named = [...(await html('/')).matchAll(/<link rel="(?:apple-touch-)?icon" href="([^"]+)"/g)]
  expect(named.length).toBe(2)
  for (const [, icon] of named) {
    const bytes = await (await fetch(site.url + icon!)).arrayBuffer()
    expect([icon, Buffer.from(bytes).toString('latin1', 1, 4)]).toEqual([icon, 'PNG'])
  }
})

test('a page needs at most 110 kB before use', async () => {
  const page = await html('/admin')
  const named = [...page.matchAll(/(?:src|href)="(\/assets\/[^"]+\.(?:js|css))"/g)].map(([, file]) => file!)
  expect(named.length).toBeGreaterThan(5)
  const weights = await Promise.all(
    named.map(async (file) => {
      const body = await (await fetch(site.url + file)).arrayBuffer()
      return gzipSync(new Uint8Array(body), { level: 9 }).length
    }),
  )
  expect(weights.reduce((sum, weight) => sum + weight, 0)).toBeLessThanOrEqual(110_000)
})

test('browsers compile the scripts of an opening page whole', async () => {
  for (const path of prerenderedPaths) {
    const page = await html(path)
    const scripts = [...page.matchAll(/<link rel="modulepreload"[^>]* href="([^"]+)"/g)].map(
      ([, file]) => file!,
    )
    expect(scripts.length).toBeGreaterThan(5)
    for (const file of scripts) {
      const script = await (await fetch(site.url + file)).text()
      expect([file, script.split('\n')[0]]).toEqual([file, '//# allFunctionsCalledOnLoad'])
    }
  }
})

/** API paths used only by administration that occur in the scripts a page has fetched. */
async function administrationIn(page: Page): Promise<string[]> {
  const files = await page.evaluate(() =>
    performance
      .getEntriesByType('resource')
      .map(({ name }) => new URL(name).pathname)
      .filter((path) => path.endsWith('.js')),
  )
  expect(files.length).toBeGreaterThan(5)
  const scripts = await Promise.all(files.map(async (file) => (await fetch(site.url + file)).text()))
  return [sftp.credentials.path, backup.history.path, users.list.path].filter((path) =>
    scripts.some((script) => script.includes(path)),
  )
}

test('applies the text size and contrast cookie', async () => {
  expect(await html('/', { cookie: 'comfort=larger.more' })).toMatch(
    /<html[^>]* data-text="larger" data-contrast="more"/,
  )
  expect(await html('/')).not.toMatch(/<html[^>]* data-text/)
})

test('renders Sign In only for requests without a session', async () => {
  const offer = />Sign In<\/button>/
  expect(await html('/')).toMatch(offer)
  expect(await html('/', { cookie: 'comfort=larger.more; other=sid' })).toMatch(offer)
  for (const cookie of ['sid=x', 'comfort=larger.more; sid=x', '__Host-sid=x'])
    expect([cookie, offer.test(await html('/', { cookie }))]).toEqual([cookie, false])
})

/** A browser without the service worker: each page comes from the server. */
const visitUncached = (path: string) =>
  site.visit(path, {
    serviceWorkers: 'block',
    allow: ['Service Worker registration blocked by Playwright'],
  })

/** Records from the first frame of each page on the smallest numbers of these elements, and the layout shift. */
async function watchLayout(selectors: readonly string[]) {
  const page = await visitUncached('/reset-password')
  await page.context().addInitScript((wanted) => {
    const seen = {
      least: wanted.map(() => Number.POSITIVE_INFINITY),
      moved: 0,
      first: null as Element | null,
    }
    Object.assign(globalThis, { seen })
    const count = (least: number, at: number) =>
      Math.min(least, document.querySelectorAll(wanted[at]!).length)
    const look = () => {
      // Counted once the footer below them is parsed.
      if (document.querySelector('footer')) seen.least = seen.least.map(count)
      seen.first ??= document.querySelector('[data-first] main h1')
      requestAnimationFrame(look)
    }
    requestAnimationFrame(look)
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) seen.moved += (entry as unknown as { value: number }).value
    }).observe({ type: 'layout-shift', buffered: true })
  }, selectors)
  const open = async (path: string) => {
    await page.goto(site.url + path)
    await page.getByText(/^Up to date, /).waitFor()
    await comesTo(() => page.locator('[data-first]').count(), 0)
  }
  const seen = () =>
    page.evaluate(() => {
      const { least, moved, first } = (
        globalThis as unknown as { seen: { least: number[]; moved: number; first: Element | null } }
      ).seen
      return { least, isStill: moved < 0.1, stayed: first?.isConnected }
    })
  return { page, open, seen }
}

test('pages hydrate in place, and load no administration code', async () => {
  const { page, open, seen } = await watchLayout(['main h3', 'main blockquote', 'main li > button'])
  // Without an interaction.
  await page.evaluate(() => location.assign('/teaching'))
  await page.getByText(/^Up to date, /).waitFor()
  // Hydrated in place: the prerendered elements were not replaced.
  const whole = { isStill: true, stayed: true }
  await open('/browse')
  expect(await seen(), 'browse').toMatchObject(whole)
  await open('/series/free-sure')
  expect(await seen(), 'series').toMatchObject(whole)
  await comesTo(() => titles(page), ['Study <5>', 'Study <6>'])
  await open('/teaching')
  expect(await seen(), 'library').toEqual({ ...whole, least: [5, 0, 0] })
  // The critical CSS is inlined and not fetched again.
  const styles = () =>
    page.evaluate(() =>
      performance
        .getEntriesByType('resource')
        .map(({ name }) => name)
        .filter((name) => /\/boot-[^/]*\.css$/.test(name)),
    )
  await comesTo(styles, [])
  await open(chapters)
  expect(await seen(), 'chapters').toMatchObject({ ...whole, least: [expect.any(Number), 0, 2] })
  await page.getByRole('button', { name: /^0:01 The father/ }).click()
  await sounds(page)
  await open('/about')
  await page.getByRole('button', { name: 'Acts 2:42' }).waitFor()
  expect(await seen(), 'about').toMatchObject({ ...whole, least: [expect.any(Number), 3, 0] })

  await page.getByRole('link', { name: 'Teaching', exact: true }).first().click()
  await row(page, 'Study <6>').waitFor()
  await page.getByRole('button', { name: 'Sign In', exact: true }).click()
  await page.getByRole('dialog', { name: 'Sign In' }).waitFor()
  expect(await administrationIn(page)).toEqual([])
  // The same check finds it on the admin page.
  await addSessionCookie(await site.session(administrator), page.context())
  await page.goto(`${site.url}/admin`)
  await page.getByRole('tab').first().waitFor()
  await comesTo(async () => (await administrationIn(page)).length, 3)
})

test('pages are readable with JavaScript disabled', async () => {
  const page = await site.visit('/teaching', { javaScriptEnabled: false, allow: [/^csp /] })
  expect((await titles(page))[0]).toBe('New')
  await page.getByRole('link', { name: 'About', exact: true }).click()
  await page.getByRole('heading', { name: 'We Believe:' }).waitFor()
  await page.goto(site.url + chapters)
  const lines = () => page.getByRole('main').getByRole('listitem').getByRole('button')
  expect(await lines().allInnerTexts()).toEqual([
    expect.stringMatching(/^0:00\s+Welcome$/),
    expect.stringMatching(/^0:01\s+The father who ran\s+Teaching starts here$/),
  ])
  const skip = page.getByRole('button', { name: 'Skip to the teaching' })
  expect(await skip.isVisible()).toBe(true)
  await page.emulateMedia({ media: 'print' })
  expect([await lines().last().isVisible(), await skip.isVisible()]).toEqual([true, false])
})

test('presses before hydration take effect', async () => {
  const page = await visitUncached('/reset-password')
  let letGo!: () => void
  const held = new Promise<void>((resolve) => (letGo = resolve))
  await page.route('**/assets/main-*.js', async (route) => {
    await held
    await route.continue()
  })
  await page.evaluate(() => location.assign('/'))
  // The first script, which holds presses, has run by then; before it nothing can.
  await page.waitForURL(`${site.url}/`, { waitUntil: 'domcontentloaded' })
  await page.getByRole('button', { name: 'Get directions' }).click()
  expect(await page.getByRole('dialog').count()).toBe(0)
  letGo()
  await page.getByRole('dialog').waitFor()
  await page.unroute('**/assets/main-*.js')

  await page.context().addInitScript(() => {
    const to = location.pathname === '/about' ? '/teaching' : '/about'
    const leave = () => document.querySelector<HTMLAnchorElement>(`header a[href="${to}"]`)!.click()
    document.addEventListener('DOMContentLoaded', () => {
      const first = document.querySelector('[data-first]')
      if (first) new MutationObserver(leave).observe(first, { attributeFilter: ['data-first'] })
    })
  })
  // The others hydrate in the same way.
  for (const from of inSoak ? [...prerenderedPaths, '/teaching'] : ['/', '/teaching']) {
    await page.goto(site.url + from)
    const name = from === '/about' ? 'Teaching' : 'Who We Are'
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    expect(await page.locator('main h1').count()).toBe(1)
  }
})
