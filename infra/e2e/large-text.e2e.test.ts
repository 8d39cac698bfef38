import { elders } from '@fellowship/schema/elders/elders.contract'
import { series } from '@fellowship/schema/series/series.contract'
import { nameSlug } from '@fellowship/schema/text-folding'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { brokenWords } from './support/broken-words.ts'
import { nightly } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { enlarge, fits, largeTextProblems } from './support/large-text.ts'
import { administrator, member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import {
  administration,
  comesTo,
  goWithin,
  pickFile,
  row,
  seeToast,
  signIn,
  signInPanel,
  uploadPanel,
} from './support/screens.ts'
import { choose } from './support/up-next-steps.ts'

/** A narrow phone at 200% text size (WCAG 1.4.4). */
const small = { viewport: { width: 320, height: 640 }, reducedMotion: 'reduce' as const }
const speaker = 'Johannes van der Westhuizen-Featherstonehaugh'

const site = journey()
beforeAll(async () => {
  await site.add(mp3('a.mp3', { bytes: 3_000_000 }), {
    title: 'Hope',
    speaker,
    date: '2026-11-15',
    scriptureReference: 'Romans 8:28',
  })
})

async function visit(path: string, as?: typeof member): Promise<Page> {
  const page = await site.visit(path, { ...small, ...(as && { as }) })
  await enlarge(page)
  return page
}

nightly('player, save controls and filters do not overflow', async () => {
  const page = await visit('/teaching')
  const main = page.getByRole('main')
  await row(page, 'Hope').getByRole('button', { name: 'Play Hope' }).click()
  await row(page, 'Hope').getByLabel('Sleep timer').waitFor()
  await fits(main)
  const save = row(page, 'Hope').getByRole('button', { name: /^Save/ })
  expect(await save.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0)
  await page.getByRole('button', { name: 'Filter by book, speaker or year' }).click()
  await page.getByRole('button', { name: `${speaker} 1 teaching` }).waitFor()
  await fits(page.getByRole('dialog').locator('[id^="headlessui-dialog-panel"]'))
})

nightly.each(['/browse', `/speakers/${nameSlug(speaker)}`, '/books/romans', 'the teaching'])(
  '%s does not overflow the page',
  async (path) => {
    const [teaching] = await site.list()
    const page = await visit(path === 'the teaching' ? teachingPath(teaching!) : path)
    await page.getByRole('heading', { level: 1 }).waitFor()
    await page.getByText(/^Up to date, /).waitFor()
    await fits(page.getByRole('main'))
  },
)

nightly('a series with its tools does not overflow', async () => {
  const [teaching] = await site.list()
  const title = 'Unvergleichlichkeitsbetrachtungen in hard times'
  const body = { title, description: 'Begin with Romans 8:28.', teachings: [teaching!.uid] }
  const { slug } = await call(series.create, { body }, await site.session())
  const list = await visit('/browse', member)
  await list.getByRole('main').getByRole('link', { name: title }).waitFor()
  await fits(list.getByRole('main'))
  await list.close()
  const page = await visit(`/series/${slug}`, member)
  await page.getByText(/^Up to date, /).waitFor()
  await fits(page.getByRole('main'))
  const dialog = page.getByRole('dialog')
  for (const name of ['Edit', 'Picture', 'Delete', 'Share']) {
    await page.getByRole('main').getByRole('button', { name, exact: true }).first().click()
    await dialog.getByRole('heading').first().waitFor()
    await fits(dialog.locator('[id^="headlessui-dialog-panel"]'))
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
  await page.getByRole('button', { name: 'More for Hope' }).filter({ visible: true }).click()
  await dialog.getByRole('button', { name: 'Add to series…' }).click()
  await page.getByRole('button', { name: new RegExp(`^${title}`) }).waitFor()
  await fits(dialog.locator('[id^="headlessui-dialog-panel"]'))
})

nightly('my listening and Up next do not overflow', async () => {
  const long = { title: 'Unvergleichlichkeitsbetrachtungen in hard times', speaker }
  for (const date of ['2026-10-04', '2026-10-11'])
    await site.add(mp3('a.mp3', { bytes: 400_000 }), { ...long, title: `${long.title} ${date}`, date })
  const page = await visit('/teaching')
  await choose(page, `${long.title} 2026-10-04`, 'Add to favourites')
  await choose(page, `${long.title} 2026-10-04`, 'Add to Up next')
  await choose(page, `${long.title} 2026-10-11`, 'Add to Up next')
  await choose(page, `${long.title} 2026-10-11`, 'Mark as heard')
  await goWithin(page, `/speakers/${nameSlug(speaker)}`)
  await page.getByRole('button', { name: 'Play all' }).click()
  await page
    .getByRole('button', { name: /^Up next: / })
    .first()
    .click()
  const sheet = page.getByRole('dialog', { name: 'Up next' })
  await sheet
    .getByRole('button', { name: /^Play now/ })
    .first()
    .waitFor()
  await fits(sheet.locator('[id^="headlessui-dialog-panel"]'))
  await page.keyboard.press('Escape')
  await fits(page.getByRole('main'))
  await goWithin(page, '/listening')
  await page.getByRole('region', { name: 'Heard (1)' }).waitFor()
  await page.getByRole('list', { name: 'Up next' }).waitFor()
  await fits(page.getByRole('main'))
  await comesTo(() => largeTextProblems(page), [])
  await page.setViewportSize(small.viewport)
  // Beside play and Up next, the bar has room for the button that opens the player (WCAG 2.5.5).
  const opens = page.getByRole('button', { name: /^Open the player/ })
  expect((await opens.boundingBox())!.width).toBeGreaterThanOrEqual(44)
})

/** The row's details: whether they take one line, and which of them are cut off. */
const detailsOf = (page: Page) =>
  row(page, 'Hope').evaluate((item) => {
    const details = item.querySelector('time')!.closest('p')!
    const parts = [...details.querySelectorAll('time, time ~ span')].filter((part) => part.checkVisibility())
    const lines = new Set(parts.map((part) => Math.round(part.getBoundingClientRect().top)))
    return {
      words: parts.map((part) => (part as HTMLElement).innerText),
      lines: lines.size,
      cut: parts.flatMap((part) => (part.scrollWidth > part.clientWidth + 1 ? [part.textContent] : [])),
      box: item.getBoundingClientRect().toJSON() as DOMRect,
    }
  })

nightly('row details fit one line on a phone', async () => {
  const viewport = { width: 360, height: 740 }
  const phone = await site.visit('/teaching', { viewport })
  const { box, ...line } = await detailsOf(phone)
  expect(line.words.filter((words) => words !== '')).toEqual(['15 Nov 2026', speaker, 'Romans 8:28'])
  expect(line.lines).toBe(1)
  expect(box.height).toBeLessThanOrEqual(96)
  // The first screen has room for four, above the places of the navigation.
  const edge = (await phone.getByRole('navigation', { name: 'Main' }).boundingBox())!.y
  expect(edge).toBeGreaterThan(viewport.height - 64)
  expect(box.top + 4 * box.height).toBeLessThanOrEqual(edge)
  await row(phone, 'Hope').getByRole('button', { name: 'Play Hope' }).click()
  await comesTo(async () => (await detailsOf(phone)).cut, [])
  await comesTo(() => brokenWords(phone), [])

  const uploader = await site.visit('/teaching', { viewport, as: member })
  await uploader.getByRole('button', { name: 'More for Hope' }).waitFor()
  const forUploader = await detailsOf(uploader)
  expect(forUploader.box.height).toBeLessThanOrEqual(96)
  expect(forUploader.box.top + 4 * forUploader.box.height).toBeLessThanOrEqual(edge)

  const large = await visit('/teaching')
  await comesTo(async () => (await detailsOf(large)).cut, [])
  await comesTo(() => brokenWords(large), [])
})

nightly('a tall toast and its close button stay visible', async () => {
  const page = await visit('/teaching', member)
  await pickFile(page, mp3('22-11-2026 sermon.mp3'))
  await uploadPanel(page).getByText('Parsing Issues Found').waitFor()
  await uploadPanel(page).getByRole('button', { name: 'Upload Teaching' }).click()
  await seeToast(page, 'Missing Speaker')
  const cross = (await page.getByRole('button', { name: 'Close this message' }).boundingBox())!
  expect(cross.y).toBeGreaterThanOrEqual(0)
})

nightly('elder cards keep a readable line length', async () => {
  const bios = { shortBio: 'Ben grew up here.', extendedBio: 'Ben grew up here.', role: 'Elder' }
  await call(elders.create, { body: { ...bios, name: 'Ben Other', displayOrder: 1 } }, await site.session())
  const page = await visit('/')
  const name = page.getByRole('heading', { name: 'Ben Other' })
  await name.waitFor()
  expect(await name.evaluate(({ clientWidth }) => clientWidth)).toBeGreaterThan(80)
})

test('no page or dialog overflows or breaks a word at large text', async () => {
  const page = await site.visit('/nowhere', { allow: ['404 /nowhere'] })
  for (const [path, heading] of [
    ['/nowhere', '404 Page Not Found'],
    ['/', 'Find Us'],
    ['/about', 'Meet Our Elders'],
    ['/teaching', 'Teaching'],
    ['/browse', 'Browse'],
    ['/listening', 'My listening'],
    ['/reset-password', 'Reset your password'],
    ['/about?signin', 'Sign In'],
  ] as const) {
    await goWithin(page, path)
    await page.getByRole('heading', { name: heading, exact: true }).first().waitFor()
    await comesTo(async () => ({ path, problems: await largeTextProblems(page) }), { path, problems: [] })
  }

  await signIn(page, member)
  await signInPanel(page).waitFor({ state: 'detached' })
  await page.setViewportSize(small.viewport)
  await enlarge(page)
  await goWithin(page, '/teaching')
  const dialog = page.getByRole('dialog')
  const panel = dialog.locator('[id^="headlessui-dialog-panel"]')
  for (const name of ['Edit', 'Delete', 'Share']) {
    await page.getByRole('button', { name: 'More for Hope' }).click()
    await dialog.getByRole('button', { name, exact: true }).click()
    await dialog.getByRole('heading').first().waitFor()
    await fits(panel)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
  }
})

nightly('no part of administration overflows at large text', async () => {
  const page = await site.visit('/manage', { as: administrator })
  for (const { path, shown } of administration) {
    await goWithin(page, path)
    await page.getByRole('main').getByText(shown).first().waitFor()
    await comesTo(async () => ({ path, problems: await largeTextProblems(page) }), { path, problems: [] })
  }
})
