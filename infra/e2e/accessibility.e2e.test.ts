import { elders } from '@fellowship/schema/elders/elders.contract'
import { events } from '@fellowship/schema/events/events.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeEach, expect, test } from 'vitest'
import { violations } from './support/axe.ts'
import { journey } from './support/journey.ts'
import { enlarge, fits, largeTextProblems } from './support/large-text.ts'
import { synced } from './support/offline-steps.ts'
import { administrator, member } from './support/people.ts'
import { portrait } from './support/pictures.ts'
import { popovers, reference, strayings } from './support/popovers.ts'
import { mp3 } from './support/recordings.ts'
import {
  administration,
  comesTo,
  goWithin,
  pickFile,
  play,
  row,
  seeToast,
  signIn,
  signInPanel,
  titles,
  toast,
  uploadPanel,
} from './support/screens.ts'
import { inSoak, nightly } from './support/in-soak.ts'
import { tabProblems } from './support/tab-walk.ts'

const site = journey()
beforeEach(() => site.empty())

/** Contrast is measured without running transitions. */
const still = { reducedMotion: 'reduce' as const }
const phone = { ...still, viewport: { width: 360, height: 740 } }

interface Audit {
  screen: (page: Page, name: string) => Promise<void>
  /** All violations so far, one line each. */
  found: readonly string[]
  expectNone: () => void
}

type Scheme = 'light' | 'dark'

/**
 * Audits screens; `expectNone` fails with all violations. The dark scheme is audited at night: its colours are read by
 * `tokens.test.ts` in every run. The page stays in the last scheme.
 */
function startAudit(schemes: readonly Scheme[] = inSoak ? ['dark', 'light'] : ['light']): Audit {
  const found: string[] = []
  return {
    screen: async (page, name) => {
      await page.evaluate(changeAtOnce)
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme })
        await comesToRest(page)
        // Names, roles and headings are the same in both.
        const broken = await violations(page, colorScheme === 'dark' ? 'colours' : 'all')
        found.push(...broken.map((line) => `${name}, ${colorScheme}: ${line}`))
      }
    },
    found,
    expectNone: () => expect(found).toEqual([]),
  }
}

/** Disables transitions: even with reduced motion a change of colour scheme takes a frame per level of the page. */
function changeAtOnce(): void {
  const known = globalThis as { atOnce?: CSSStyleSheet }
  if (known.atOnce) return
  known.atOnce = new CSSStyleSheet()
  known.atOnce.replaceSync('*, ::before, ::after, ::backdrop { transition: none !important }')
  document.adoptedStyleSheets.push(known.atOnce)
}

const comesToRest = (page: Page) =>
  page.evaluate(async () => {
    for (let calm = 0; calm < 3;) {
      await new Promise(requestAnimationFrame)
      calm = document.getAnimations().some(({ playState }) => playState === 'running') ? 0 : calm + 1
    }
  })

const heading = (page: Page, name: string | RegExp) => page.getByRole('heading', { name, level: 1 })

const wide = { width: 1280, height: 800 }

/** No word breaks, and nothing overflows, on a narrow phone with large text. */
async function readsLarge(page: Page, name: string): Promise<void> {
  await comesTo(async () => ({ name, problems: await largeTextProblems(page) }), { name, problems: [] })
  await enlarge(page, '100%')
  await page.setViewportSize(wide)
}

/** A weekly event one of whose dates is cancelled, and an elder. */
async function addPeopleAndEvents(): Promise<void> {
  const session = await site.session()
  const bios = { shortBio: 'Ben grew up here.', extendedBio: 'At first.\n\nAnd more of it.', role: 'Elder' }
  await call(elders.create, { body: { ...bios, name: 'Ben Other', displayOrder: 1 } }, session)
  const day = (from: number) => new Date(Date.now() + from * 86_400_000).toISOString().slice(0, 10)
  const times = { starts: `${day(2)}T10:00`, ends: `${day(2)}T11:00`, repeats: 'FREQ=WEEKLY' }
  const body = { title: 'Prayer breakfast', place: 'Hall', description: '', cancelled: [day(9)], ...times }
  await call(events.create, { body }, session)
}

/** Display and data of this device apply at once. */
async function choosesComfort(page: Page, { screen }: Audit): Promise<void> {
  const shown = () =>
    page.evaluate(() => [
      getComputedStyle(document.documentElement).fontSize,
      getComputedStyle(document.body).color,
    ])
  const before = await shown()
  await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.waitFor()
  await screen(page, 'settings')
  await dialog.getByRole('radio', { name: 'Normal text' }).focus()
  await page.keyboard.press('ArrowRight')
  await page.keyboard.press('ArrowRight')
  await dialog.getByLabel('High contrast').check()
  await dialog.getByLabel('Reduced data').check()
  await comesTo(shown, ['21px', 'rgb(0, 0, 0)'])
  await page.getByRole('button', { name: 'Show the map', includeHidden: true }).waitFor()
  await dialog.getByRole('radio', { name: 'Normal text' }).check({ force: true })
  await dialog.getByLabel('High contrast').uncheck()
  await dialog.getByLabel('Reduced data').uncheck()
  await comesTo(shown, before)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

/** The map loads near the viewport, and opens directions by pointer and key. */
async function findsTheWay(page: Page, { screen }: Audit): Promise<void> {
  await page.getByRole('heading', { name: 'Find Us' }).scrollIntoViewIfNeeded()
  await page.locator('.leaflet-tile-loaded').first().waitFor()
  expect(site.tiles.asked[0]!.headers.referer).toBe(`${site.url}/`)
  const dialog = page.getByRole('dialog', { name: 'Navigate to' })
  await page.locator('.leaflet-frame').click({ position: { x: 60, y: 300 } })
  await dialog.waitFor()
  await screen(page, 'directions')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await page.locator('.leaflet-pin').press('Enter')
  await dialog.waitFor()
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}

/** A passage opens inside the screen, at its words. */
async function readsPassages(page: Page, { screen }: Audit): Promise<void> {
  for (const [name, size] of [
    ['Revelation 21:1-5', wide],
    ['2 Timothy 3:16-17', { width: 320, height: 480 }],
  ] as const) {
    await page.setViewportSize(size)
    await reference(page, name).last().click()
    await comesTo(() => strayings(page, size.height), [])
    if (size === wide) await screen(page, 'a passage')
    await page.keyboard.press('Escape')
    await popovers(page).waitFor({ state: 'detached' })
  }
  // Words that come under the pointer would open theirs.
  await page.mouse.move(0, 0)
  await page.setViewportSize(wide)
}

/** The card of an elder leads to the middle of the screen on About, where the focus goes on. */
async function leadsToAnElder(page: Page): Promise<void> {
  await page.getByRole('link', { name: /Ben Other.*Read more →/ }).click()
  const block = page.locator('[id="elder-ben other"]')
  await block.waitFor()
  await comesTo(() => block.evaluate((element) => element.contains(document.activeElement)), true)
  const isInView = () =>
    block.evaluate((element) => {
      const { top, height } = element.getBoundingClientRect()
      return top + height / 2 > 0 && top + height / 2 < innerHeight
    })
  await comesTo(isInView, true)
}

test('public pages and the library pass, spoilt ones do not', async () => {
  const audit = startAudit()
  const { screen, expectNone } = audit
  await addPeopleAndEvents()
  const page = await site.visit('/', still)
  await page.getByText('What is taught on Sundays is recorded').waitFor()
  await screen(page, 'home')
  expect(site.tiles.asked, 'the map is far below').toEqual([])
  await choosesComfort(page, audit)
  await findsTheWay(page, audit)
  await readsLarge(page, 'home')
  await leadsToAnElder(page)
  for (const [path, title] of [
    ['/about', 'Who We Are'],
    ['/events', 'Events'],
    ['/nowhere', '404 Page Not Found'],
    ['/browse', 'Browse'],
    ['/reset-password', 'Reset your password'],
    ['/listening', 'My listening'],
    ['/teaching', 'Teaching'],
  ] as const) {
    await goWithin(page, path)
    await heading(page, title).waitFor()
    if (path === '/teaching') await page.getByText('No teaching available.').waitFor()
    if (path === '/events') {
      await page.getByText('Cancelled', { exact: true }).waitFor()
      expect(await page.getByRole('heading', { name: /Prayer breakfast/ }).count()).toBe(4)
    }
    await screen(page, path)
    await readsLarge(page, path)
    if (path === '/about') await readsPassages(page, audit)
  }

  // The library while playing, searching and sharing.
  for (const day of [1, 2, 3, 4, 5, 6]) {
    const fields = { title: `Teaching ${day}`, speaker: 'Jane Doe', date: `2026-03-0${day}` }
    // The last one is played: at four minutes it outlasts the test.
    const bytes = day === 6 ? 1_000_000 : 100_000
    await site.add(mp3('a.mp3', { bytes }), { ...fields, scriptureReference: `Psalm ${day}` })
  }
  await row(page, 'Teaching 6').waitFor()
  await screen(page, 'rows')
  await play(page, 'Teaching 6')
  await screen(page, 'playing')
  const search = page.getByPlaceholder('Search teaching by title, speaker, or topic...')
  await search.fill('Psalm 3')
  await page.getByRole('heading', { name: 'Search Results (1)' }).waitFor()
  await screen(page, 'searching')
  await page.getByRole('button', { name: 'Filter by book, speaker or year' }).click()
  const psalms = page.getByRole('button', { name: 'Psalms 1 teaching' })
  await psalms.waitFor()
  await screen(page, 'filtering')
  await psalms.click()
  await comesTo(() => titles(page), ['Teaching 3'])
  await comesTo(() => new URL(page.url()).search, '?q=Psalm+3&book=Psalms')
  await search.fill('')
  await page.getByRole('heading', { level: 2, name: 'Teaching on Psalms' }).waitFor()
  await screen(page, 'browsing')
  await page.getByRole('button', { name: 'No longer only Psalms' }).click()
  await row(page, 'Teaching 3').getByRole('button', { name: 'Share Teaching 3' }).click()
  await page.getByRole('dialog', { name: 'Share this teaching' }).waitFor()
  await screen(page, 'sharing')
  await page.keyboard.press('Escape')
  await row(page, 'Teaching 3').getByRole('button', { name: 'More for Teaching 3' }).click()
  const more = page.getByRole('dialog', { name: 'Teaching 3' })
  await more.getByRole('button', { name: 'Play next' }).waitFor()
  await screen(page, 'what can be done with a teaching')
  await more.getByRole('button', { name: 'Play next' }).click()
  await search.fill('nothing has this')
  await page.getByText('No teaching found matching your search.').waitFor()
  await screen(page, 'nothing found')
  await goWithin(page, '/listening')
  await page.getByRole('list', { name: 'Up next' }).waitFor()
  await screen(page, 'my listening')
  await page.getByRole('button', { name: /^Open the player: / }).click()
  await page.getByRole('button', { name: 'Write a note' }).click()
  await page.getByLabel(/^Note at /).waitFor()
  await screen(page, 'the large player with Up next and a note')
  await page.goto(`${site.url}/speakers/jane-doe`)
  await row(page, 'Teaching 5').waitFor()
  await screen(page, 'a speaker')
  await row(page, 'Teaching 5').getByRole('link', { name: 'Teaching 5', exact: true }).click()
  await heading(page, 'Teaching 5').waitFor()
  await screen(page, 'a teaching')
  expectNone()

  // The audit itself reports missing names and low contrast.
  const both = startAudit(['light', 'dark'])
  await page.evaluate(() => {
    const words = ['#cccccc', '#333333'].map((color) => {
      const line = document.createElement('p')
      line.textContent = 'Too pale on paper, or too dark on ink'
      line.style.color = color
      return line
    })
    document.querySelector('footer')!.append(document.createElement('button'), ...words)
  })
  await both.screen(page, 'spoilt')
  expect(both.found.map((line) => line.split(' at ')[0])).toEqual([
    'spoilt, light: button-name',
    'spoilt, light: color-contrast',
    'spoilt, dark: color-contrast',
  ])
})

nightly('public pages pass in high contrast and largest text', async () => {
  const { screen, expectNone } = startAudit()
  const page = await site.visit('/', phone)
  await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
  const dialog = page.getByRole('dialog', { name: 'Settings' })
  await dialog.getByRole('radio', { name: 'Largest text' }).check({ force: true })
  await screen(page, 'display and data')
  await dialog.getByLabel('High contrast').check()
  await screen(page, 'display and data in high contrast')
  await page.keyboard.press('Escape')
  for (const [path, title] of [
    ['/', /^Welcome to/],
    ['/about', 'Who We Are'],
    ['/nowhere', '404 Page Not Found'],
    ['/listening', 'My listening'],
    ['/teaching', 'Teaching'],
  ] as const) {
    await goWithin(page, path)
    await heading(page, title).waitFor()
    await page.getByText(/^Up to date, /).waitFor()
    await screen(page, `${path} in high contrast`)
  }
  expectNone()
})

nightly('my listening and its dialogs pass', async () => {
  const { screen, expectNone } = startAudit()
  const page = await site.visit('/listening', { ...phone, as: member })
  const keeping = page.getByRole('switch', { name: 'Keep my listening on all my devices' })
  await keeping.click()
  await page.getByText('Up to date, just now.', { exact: true }).waitFor()
  await screen(page, 'my listening, kept with the account')
  await keeping.click()
  await page.getByRole('dialog', { name: 'Keep it on this device alone?' }).waitFor()
  await screen(page, 'my listening: turning it off')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Open the menu' }).click()
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await page.getByRole('dialog', { name: 'Does your listening stay on this device?' }).waitFor()
  await screen(page, 'signing out with listening that is kept')
  expectNone()
})

nightly('new teachings, their list and Up next pass', async () => {
  const { screen, expectNone } = startAudit()
  const page = await site.visit('/teaching', { ...phone, firstVisit: true })
  await synced(page)
  for (const [at, title] of ['Fresh', 'Fresh too'].entries())
    await site.add(mp3('a.mp3', { bytes: 400_000 }), {
      title,
      speaker: 'Jane Doe',
      date: `2026-03-0${at + 1}`,
    })
  await page.clock.setSystemTime(Date.now() + 3_600_000)
  await page.goto(`${site.url}/teaching`)
  await row(page, 'Fresh').getByText('New since your last visit').waitFor()
  await screen(page, 'marks of what is new')
  await page.getByRole('link', { name: /new since your last visit$/ }).click()
  await page.getByRole('heading', { level: 2, name: 'New since your last visit' }).waitFor()
  await screen(page, 'the list of what is new')
  await goWithin(page, '/speakers/jane-doe')
  await page.getByRole('button', { name: 'Play all' }).click()
  await page.getByRole('button', { name: 'Up next: 1 teaching' }).click()
  await page.getByRole('list', { name: 'Up next' }).waitFor()
  await screen(page, 'Up next')
  expectNone()
})

nightly('series pages and their dialogs pass', async () => {
  const { screen, expectNone } = startAudit()
  const fields = { title: 'Be still', speaker: 'Jane Doe', date: '2026-03-01' }
  const { uid } = await site.add(mp3('a.mp3', { bytes: 100_000 }), fields)
  const body = { title: 'Of hope', description: 'Begin with Romans 8:1.', teachings: [uid] }
  const made = await call(series.create, { body }, await site.session())
  const picture = new File([new Uint8Array(await portrait())], 'a.png')
  await call(series.picture, { params: { uid: made.uid }, files: { picture } }, await site.session())
  const page = await site.visit('/series/of-hope', { ...phone, as: member })
  await row(page, 'Be still').waitFor()
  await screen(page, 'a series')
  for (const name of ['Edit', 'Picture', 'Delete', 'Share']) {
    await page.getByRole('main').getByRole('button', { name, exact: true }).first().click()
    await page.getByRole('dialog').getByRole('heading').first().waitFor()
    await screen(page, `a series: ${name}`)
    await page.keyboard.press('Escape')
  }
  await goWithin(page, '/teaching')
  await page.getByPlaceholder('Search teaching by title, speaker, or topic...').fill('hope')
  await page.getByRole('link', { name: 'Series: Of hope, 1 teaching' }).waitFor()
  await screen(page, 'a series found')
  await page.getByPlaceholder('Search teaching by title, speaker, or topic...').fill('')
  await page.getByRole('button', { name: 'More for Be still' }).filter({ visible: true }).click()
  await page.getByRole('button', { name: 'Add to series…' }).click()
  await page.getByRole('button', { name: /^Of hope/ }).waitFor()
  await screen(page, 'add to series')
  expectNone()
})

nightly('the sign-in panel and account card pass', async () => {
  const { screen, expectNone } = startAudit()
  const page = await site.visit('/', { ...still, allow: ['401 /api/auth/login'] })
  await page.getByRole('button', { name: 'Sign In' }).click()
  await signInPanel(page).waitFor()
  await screen(page, 'sign-in panel')
  await signIn(page, { email: 'nobody', password: '' })
  await signInPanel(page).getByText('Invalid email address').waitFor()
  await screen(page, 'sign-in panel with mistakes')
  await signIn(page, { ...administrator, password: 'not-the-password' })
  await seeToast(page, 'Login failed')
  await screen(page, 'refused sign-in with its message')
  await signIn(page, administrator)
  await seeToast(page, 'Login successful')
  await signInPanel(page).waitFor({ state: 'hidden' })
  await screen(page, 'message')
  await page.getByRole('button', { name: administrator.name }).click()
  await page.getByRole('dialog', { name: 'Your account' }).waitFor()
  await screen(page, 'user card')
  expectNone()
})

test('administration and dialogs pass, Tab reaches every control', async () => {
  const { screen, expectNone } = startAudit()
  const byKeyboard: string[] = []
  const session = await site.session()
  for (const { id } of await call(elders.list, {}, session))
    await call(elders.remove, { params: { id } }, session)
  await site.add(mp3('a.mp3'), { title: 'Hope', speaker: 'Jane Doe', date: '2026-03-01' })
  const page = await site.visit('/', { ...still, as: administrator })
  for (const { path, shown } of administration) {
    await goWithin(page, path)
    await page.getByText(shown).first().waitFor()
    // The offer of a site without elders comes later.
    if (path.startsWith('/admin')) await page.getByRole('link', { name: 'Start' }).waitFor()
    await screen(page, path)
    byKeyboard.push(...(await tabProblems(page)).map((problem) => `${path}: ${problem}`))
  }
  expect(byKeyboard).toEqual([])
  await goWithin(page, '/admin?tab=content&part=podcast')
  await page.getByRole('button', { name: 'Test my feed' }).click()
  await page.getByText('Every recording can be downloaded').waitFor()
  await screen(page, 'a tested feed')

  // The dialogs of a teaching.
  await goWithin(page, '/teaching')
  await row(page, 'Hope').waitFor()
  const panel = uploadPanel(page)
  await pickFile(page, mp3('22-11-2026 sermon.mp3'))
  await panel.getByText('Parsing Issues Found').waitFor()
  await screen(page, 'upload with issues')
  await panel.getByRole('button', { name: 'Clear' }).click()
  await pickFile(page, mp3('2026-11-22_Jane-Doe"A living hope"_1-Peter_1_3-9.mp3'))
  await panel.getByText('Filename Parsed Successfully').waitFor()
  await screen(page, 'upload parsed')
  await panel.getByLabel('Speaker', { exact: true }).fill('')
  await panel.getByRole('button', { name: 'Upload Teaching' }).click()
  await seeToast(page, 'Missing Speaker')
  await screen(page, 'a refusal')
  await panel.getByLabel('Speaker', { exact: true }).fill('Jane Doe')
  await panel.getByRole('button', { name: 'Upload Teaching' }).click()
  await row(page, 'A living hope').waitFor()
  await toast(page, 'File upload successful').waitFor()
  await screen(page, 'uploaded')

  const fitsSmall = async () => {
    await page.setViewportSize({ width: 320, height: 640 })
    await enlarge(page)
    await fits(page.getByRole('dialog').last().locator('[id^="headlessui-dialog-panel"]'))
    await enlarge(page, '100%')
    await page.setViewportSize(wide)
  }
  await row(page, 'Hope').getByRole('button', { name: 'Edit Hope' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Sermon' })
  await edit.waitFor()
  await screen(page, 'edit dialog')
  await fitsSmall()
  await edit.getByLabel('Title').fill('')
  await screen(page, 'edit dialog that cannot be sent')
  await edit.getByRole('button', { name: 'Cancel' }).click()
  await page.getByRole('dialog', { name: 'Discard changes?' }).waitFor()
  await screen(page, 'question before what was entered is given up')
  await page.getByRole('button', { name: 'Discard' }).click()
  await row(page, 'Hope').getByRole('button', { name: 'Delete Hope' }).click()
  await page.getByRole('dialog', { name: 'Delete Teaching' }).waitFor()
  await screen(page, 'delete dialog')
  await fitsSmall()
  expectNone()
})

nightly('SFTP Automation and the Inbox pass', async () => {
  const { screen, expectNone } = startAudit()
  const page = await site.visit('/admin?tab=content&part=inbox', { ...still, as: administrator })
  await page.getByText('Nothing to check.', { exact: false }).waitFor()
  await screen(page, 'the Inbox')
  await page.goto(`${site.url}/admin?tab=system&part=sftp`)
  await page.getByRole('heading', { name: 'sftp-staging' }).waitFor()
  await screen(page, 'SFTP Automation')
  await page.getByRole('button', { name: 'Edit Password' }).click()
  await page.getByLabel('New password').fill('short')
  await page.getByText('Password must be at least 8 characters long').waitFor()
  await screen(page, 'editing the SFTP password')
  expectNone()
})

nightly('the menu of a narrow screen passes', async () => {
  const { screen, expectNone } = startAudit()
  for (const as of [undefined, administrator]) {
    const page = await site.visit('/', { ...phone, ...(as && { as }) })
    await page.getByRole('button', { name: 'Open the menu' }).click()
    const end = page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: /^Sign (In|Out)$/ })
    await end.waitFor()
    await screen(page, as ? 'menu of an administrator' : 'menu')
  }
  expectNone()
})
