import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { series } from '@fellowship/schema/series/series.contract'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { call } from '@fellowship/sync/call/call'
import { cookieTransport } from '../dev/cookie-transport.ts'
import { portrait } from './support/pictures.ts'
import { journey } from './support/journey.ts'
import { fetchNothingAhead, save, synced } from './support/offline-steps.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, running, seeToast, sounds, titles } from './support/screens.ts'
import { bar, choose, drag, dragByTouch, nearEnd, upNext } from './support/up-next-steps.ts'
import { offlineErrors } from './support/upload-steps.ts'
import { nightly } from './support/in-soak.ts'

const site = journey()

beforeAll(async () => {
  const library = [
    ['No condemnation', '2026-01-04', 'Romans 8:1-11'],
    ['More than conquerors', '2026-01-11', 'Romans 8:31-39'],
  ] as const
  for (const [at, [title, date, scriptureReference]] of library.entries())
    await site.add(mp3('a.mp3', { bytes: 100_000 + at }), {
      title,
      speaker: 'Jane Doe',
      date,
      scriptureReference,
    })
})

const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1, exact: true })
const listed = () => call(series.list, {}, cookieTransport(site.url))

nightly('an unknown series gets the 404 page', async () => {
  const page = await site.visit('/series/nothing', { firstVisit: true, allow: [/^404 \/series/] })
  await heading(page, '404 Page Not Found').waitFor()
  await page.getByText('We can’t find that series.').waitFor()
})

test('a member creates and orders a series offline', async () => {
  const page = await site.visit('/teaching', { as: member, allow: offlineErrors })
  await synced(page)
  await page.goto(`${site.url}/series`)
  await page.getByText('There are no series yet.').waitFor()
  await page.context().setOffline(true)
  await page.getByRole('button', { name: 'New series' }).click()
  const dialog = page.getByRole('dialog', { name: 'New Series' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByText('A series needs a title.').waitFor()
  await dialog.getByLabel('Title').fill('Romans 8')
  const finder = dialog.getByLabel('Add teachings')
  for (const title of ['More than conquerors', 'No condemnation']) {
    await finder.fill(title)
    await dialog.getByRole('button', { name: `Add ${title}` }).click()
  }
  await dialog.getByRole('button', { name: 'Move up No condemnation' }).press('Enter')
  await dialog.getByText('No condemnation is now 1 of 2').waitFor({ state: 'attached' })
  await dialog.getByRole('button', { name: 'Save' }).click()
  await heading(page, 'Romans 8').waitFor()
  await comesTo(() => titles(page), ['No condemnation', 'More than conquerors'])
  expect(await listed()).toEqual([])

  await page.context().setOffline(false)
  await comesTo(
    async () => (await listed()).map(({ slug, title }) => [slug, title]),
    [['romans-8', 'Romans 8']],
  )
  await comesTo(() => page.url(), `${site.url}/series/romans-8`)
  const visitor = await site.visit('/series')
  await visitor.getByRole('main').getByRole('link', { name: 'Romans 8' }).click()
  await heading(visitor, 'Romans 8').waitFor()
  await comesTo(() => titles(visitor), ['No condemnation', 'More than conquerors'])
})

nightly('two people edit a series at once', async () => {
  const teachings = (await site.list()).map(({ uid }) => uid)
  const body = { title: 'Shepherds', description: 'First words.', teachings: teachings.slice(0, 1) }
  const { uid, slug } = await call(series.create, { body }, await site.session())
  const page = await site.visit(`/series/${slug}`, { as: member, allow: [/^409 \/api\/series\//] })
  await page.getByRole('main').getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Series' })
  await dialog.getByLabel('Title').fill('Good shepherds')

  const changes = { description: 'Better words.', teachings }
  await call(series.update, { params: { uid }, body: changes }, await site.session())
  await dialog.getByText('Better words.').waitFor()
  await comesTo(() => dialog.getByLabel('Title').inputValue(), 'Good shepherds')
  await comesTo(() => dialog.getByLabel('Description').inputValue(), 'First words.')

  // A crash of the tab, as far as the page can tell.
  const crashed = page.waitForEvent('load')
  page.once('dialog', (question) => void question.accept())
  await page.evaluate(() => location.reload())
  await crashed
  await page.getByRole('main').getByRole('button', { name: 'Edit', exact: true }).click()
  await dialog.getByText(/^Your words of .* are here again\./).waitFor()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await seeToast(page, 'Series updated successfully')
  expect((await listed()).find((each) => each.uid === uid)).toMatchObject({
    title: 'Good shepherds',
    ...changes,
  })
})

test('the first HTML of a series has its rows', async () => {
  const rows = await site.list()
  const uidOf = (title: string) => rows.find((row) => row.title === title)!.uid
  const body = {
    title: 'Free & sure',
    description: 'Begin with Romans 8:1.',
    teachings: [uidOf('More than conquerors'), uidOf('No condemnation')],
  }
  await call(series.create, { body }, await site.session())
  const html = async (path: string) =>
    (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()
  const inMain = async (path: string) => /<main.*<\/main>/s.exec(await html(path))?.[0]
  expect(await inMain('/series')).toMatch(
    /href="\/series\/free-sure"[^>]*>(<[^>]*>)*Free &amp; sure<.*2 teachings/s,
  )
  expect(await inMain('/series/free-sure')).toMatch(
    /<h1[^>]*>Free &amp; sure<.*2 teachings.*Begin with .*Romans 8:1.*More than conquerors.*No condemnation/s,
  )
})

test('the first HTML of a teaching names its place in each series', async () => {
  const rows = await site.list()
  const rowOf = (title: string) => rows.find((row) => row.title === title)!
  const teachings = [rowOf('More than conquerors').uid, rowOf('No condemnation').uid]
  await call(series.create, { body: { title: 'Sure of this', teachings } }, await site.session())
  const path = teachingPath(rowOf('No condemnation'))
  const html = await (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()
  expect(/<main.*<\/main>/s.exec(html)?.[0]).toMatch(
    /Sure of this<.*2 of 2.*Previous in the series.*More than conquerors.*href="\/series\/sure-of-this"/s,
  )
})

nightly('a teaching page leads through its series offline', async () => {
  const path = teachingPath((await site.list()).find(({ title }) => title === 'No condemnation')!)
  const page = await site.visit(path, { firstVisit: true, allow: offlineErrors })
  const inSeries = page.getByRole('navigation', { name: 'Sure of this' })
  await inSeries.getByText('2 of 2 in this series').waitFor()
  await synced(page)
  await page.context().setOffline(true)
  await inSeries.getByRole('link', { name: 'More than conquerors' }).click()
  await heading(page, 'More than conquerors').waitFor()
  await inSeries.getByText('1 of 2 in this series').waitFor()
  await inSeries.getByText('Next in the series').waitFor()
  await inSeries.getByRole('link', { name: 'All of Sure of this' }).click()
  await heading(page, 'Sure of this').waitFor()
  await comesTo(() => titles(page), ['More than conquerors', 'No condemnation'])
})

nightly('a picture is checked, shown and available offline', async () => {
  const { uid, slug } = await call(series.create, { body: { title: 'Seen' } as never }, await site.session())
  const page = await site.visit('/teaching', { as: member, firstVisit: true, allow: offlineErrors })
  await synced(page)
  await page.goto(`${site.url}/series/${slug}`)
  await page.getByRole('button', { name: 'Picture' }).click()
  const dialog = page.getByRole('dialog', { name: 'Picture' })
  await page.context().setOffline(true)
  await dialog.getByText('You are offline. A picture is sent at once').waitFor()
  const file = dialog.getByLabel('Picture', { exact: true })
  await file.setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') })
  await page.getByText('Invalid File Type', { exact: true }).waitFor()
  await file.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: await portrait() })
  await dialog.getByRole('img', { name: 'As it will be shown' }).waitFor()
  await comesTo(() => dialog.getByRole('button', { name: 'Save' }).isDisabled(), true)
  await page.context().setOffline(false)
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Picture saved', { exact: true }).waitFor()
  const shown = page.getByRole('main').locator('img[src^="/images/"]')
  const isLoaded = () => shown.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth > 0)
  await shown.waitFor()
  await comesTo(isLoaded, true)

  const { imageUrl } = (await listed()).find((each) => each.uid === uid)!
  const html = await (await fetch(`${site.url}/series/${slug}`)).text()
  expect(html).toContain(`src="${imageUrl}"`)
  expect(html).toContain(`content="${site.url}${imageUrl!.replace('-640.webp', '-cover.jpg')}"`)
  await page.context().setOffline(true)
  await page.goto(`${site.url}/series/${slug}`)
  await shown.waitFor()
  await comesTo(isLoaded, true)
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Picture' }).click()
  await page.getByRole('button', { name: 'Remove the picture' }).click()
  await page.getByText('Picture removed', { exact: true }).waitFor()
  await comesTo(() => shown.count(), 0)
  await page.getByRole('main').locator('img[src="/covers/2/series/Seen.svg"]').waitFor()
})

/** The order in the open dialog, first to last. */
const inDialog = (page: Page): Promise<(string | undefined)[]> =>
  page
    .getByRole('dialog')
    .getByRole('button', { name: /^Reorder / })
    .evaluateAll((handles) =>
      handles.map((handle) => /^Reorder (.*): drag/.exec(handle.getAttribute('aria-label')!)?.[1]),
    )

nightly('orders a series by mouse and finger', async () => {
  const page = await site.visit('/teaching', { as: member, firstVisit: true, hasTouch: true })
  await synced(page)
  await page.goto(`${site.url}/series/free-sure`)
  await comesTo(() => titles(page), ['More than conquerors', 'No condemnation'])
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  await comesTo(() => inDialog(page), ['More than conquerors', 'No condemnation'])
  await drag(page, 'No condemnation', 'More than conquerors')
  await comesTo(() => inDialog(page), ['No condemnation', 'More than conquerors'])
  await dragByTouch(page, 'No condemnation', 'More than conquerors')
  await comesTo(() => inDialog(page), ['More than conquerors', 'No condemnation'])
  await dragByTouch(page, 'More than conquerors', 'No condemnation')
  await comesTo(() => inDialog(page), ['No condemnation', 'More than conquerors'])
  await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click()
  await comesTo(() => titles(page), ['No condemnation', 'More than conquerors'])
  const rows = await site.list()
  const order = ['No condemnation', 'More than conquerors'].map(
    (title) => rows.find((row) => row.title === title)!.uid,
  )
  await comesTo(async () => (await listed()).find(({ slug }) => slug === 'free-sure')?.teachings, order)
})

/** Whether the lock screen has each key. */
const trackKeys = (page: Page) =>
  page.evaluate(() => (globalThis as unknown as { trackKeys: Record<string, unknown> }).trackKeys)

nightly('a series plays on and skips unsaved parts offline', async () => {
  const page = await site.visit('/teaching', { firstVisit: true, allow: offlineErrors })
  await page.context().addInitScript(() => {
    const trackKeys: Record<string, boolean> = {}
    const set = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession)
    navigator.mediaSession.setActionHandler = (action, handler) => {
      trackKeys[action] = handler !== null
      set(action, handler)
    }
    Object.assign(globalThis, { trackKeys })
  })
  await synced(page)
  await fetchNothingAhead(page)
  await save(page, 'No condemnation')
  await page.goto(`${site.url}/series/sure-of-this`)
  const list = page.getByRole('button', { name: 'Up next: 1 teaching' })
  await page.getByRole('button', { name: 'Play all' }).click()
  await bar(page, 'More than conquerors').first().waitFor()
  await sounds(page)
  await comesTo(() => trackKeys(page).then(({ nexttrack }) => nexttrack), true)
  await list.click()
  await comesTo(() => upNext(page), ['No condemnation'])
  await page.keyboard.press('Escape')
  await nearEnd(page)
  await bar(page, 'No condemnation').first().waitFor()
  await sounds(page)

  // On the page of a teaching beside its series, and under More of a row that others follow.
  await row(page, 'More than conquerors')
    .getByRole('link', { name: 'More than conquerors', exact: true })
    .click()
  const inSeries = page.getByRole('navigation', { name: 'Sure of this' })
  await inSeries.getByRole('button', { name: 'Play on from here' }).click()
  await bar(page, 'More than conquerors').first().waitFor()
  await page.goto(`${site.url}/speakers/jane-doe`)
  await choose(page, 'More than conquerors', 'Play on from here')
  await bar(page, 'More than conquerors').first().waitFor()
  await list.waitFor()

  await page.context().setOffline(true)
  await page.goto(`${site.url}/series/sure-of-this`)
  await page.getByRole('button', { name: 'Play all' }).click()
  await seeToast(page, '1 skipped: not saved on this device')
  await bar(page, 'No condemnation').first().waitFor()
  await sounds(page)
  expect((await running(page))[0]!.src).toMatch(/^\/offline-audio\//)
})
