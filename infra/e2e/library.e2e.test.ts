import { readFile } from 'node:fs/promises'
import path from 'node:path'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import type { Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { evict, save, synced } from './support/offline-steps.ts'
import { administrator, member } from './support/people.ts'
import { mp3, soundOf } from './support/recordings.ts'
import {
  comesTo,
  goWithin,
  hold,
  play,
  row,
  running,
  runningRecordings,
  seeToast,
  titles,
  toast,
} from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()
beforeEach(() => site.empty())

const question = 'Are you sure you want to delete this teaching? This action cannot be undone.'

/** Twelve teachings: 2026 has seven, 2025 four, 2024 one. */
async function addTwelve(): Promise<string[]> {
  const years = [...Array<number>(7).fill(2026), ...Array<number>(4).fill(2025), 2024]
  const all = years.map((year, at) => ({
    title: `Teaching ${String.fromCharCode(65 + at)}`,
    speaker: at % 2 === 0 ? 'Jane Doe' : 'John Smith',
    date: `${year}-03-${String(28 - at).padStart(2, '0')}`,
  }))
  for (const fields of all) await site.add(mp3(`${fields.title}.mp3`), fields)
  return all.map(({ title }) => title)
}

const heading = (page: Page, name: string) => page.getByRole('heading', { name, exact: true, level: 2 })
const loadMore = (page: Page) => page.getByRole('button', { name: 'Load More Teaching' })
const search = (page: Page) => page.getByPlaceholder('Search teaching by title, speaker, or topic...')

describe('the list', () => {
  nightly('an empty library shows its empty state', async () => {
    const page = await site.visit('/teaching')
    await page.getByText('No teaching available.', { exact: true }).waitFor()
    expect(await loadMore(page).count()).toBe(0)
  })

  nightly('shows five rows, loads more, filters and searches', async () => {
    const all = await addTwelve()
    const page = await site.visit('/teaching')
    await comesTo(() => titles(page), all.slice(0, 5))
    await page.getByText('Click on any teaching to play or download', { exact: true }).waitFor()
    await loadMore(page).click()
    await comesTo(() => titles(page), all.slice(0, 10))
    await loadMore(page).click()
    await comesTo(() => titles(page), all)
    expect(await loadMore(page).count()).toBe(0)

    const year = page.getByRole('combobox', { name: 'Year' })
    const choices = ['All Years', '2026', '2025', '2024']
    await comesTo(() => year.getByRole('option').allTextContents(), choices)
    await year.selectOption('2025')
    await heading(page, '2025 Teaching').waitFor()
    await comesTo(() => titles(page), all.slice(7, 11))
    await year.selectOption('2026')
    await heading(page, '2026 Teaching').waitFor()
    await comesTo(() => titles(page), all.slice(0, 5))

    await year.selectOption('All Years')
    await search(page).fill('smith')
    await heading(page, 'Search Results (6)').waitFor()
    await comesTo(() => titles(page).then((found) => found.length), 5)
    await year.selectOption('2025')
    await heading(page, 'Search Results (2)').waitFor()
    await search(page).fill('nobody said this')
    await heading(page, 'Search Results (0)').waitFor()
    await page.getByText('No teaching found matching your search.', { exact: true }).waitFor()
  })

  test('keeps loaded rows and position after Back', async () => {
    for (let day = 10; day < 23; day++)
      await site.add(mp3('a.mp3'), { title: `Study ${day}`, speaker: 'Jane Doe', date: `2026-03-${day}` })
    const page = await site.visit('/about')
    await synced(page)
    await page.getByRole('link', { name: 'Teaching', exact: true }).first().click()
    for (const shown of [10, 13]) {
      await loadMore(page).click()
      await comesTo(async () => (await titles(page)).length, shown)
    }
    const title = row(page, 'Study 12').getByRole('link', { name: 'Study 12', exact: true })
    await title.scrollIntoViewIfNeeded()
    // In the window, not on the page: lines above the list may come and go meanwhile.
    const top = async () => Math.round((await title.boundingBox())!.y)
    // Measured and pressed in one step: a click that Playwright tries again scrolls before.
    const left = await title.evaluate((link: HTMLElement) => {
      const { y } = link.getBoundingClientRect()
      link.click()
      return Math.round(y)
    })
    await page.getByRole('heading', { name: 'Study 12', level: 1 }).waitFor()
    await comesTo(() => page.evaluate(() => scrollY), 0)
    await page.goBack()
    await comesTo(async () => (await titles(page)).length, 13)
    await comesTo(top, left)
  })
})

test('a teaching is replaced, deleted and restored for everyone', async () => {
  const fields = { title: 'Hope', speaker: 'Jane Doe', date: '2026-03-01' }
  const before = await site.add(mp3('a.mp3'), fields)
  const page = await site.visit('/teaching', { as: member })

  // Its earlier address leads to the new recording.
  await row(page, 'Hope').getByRole('button', { name: 'Edit Hope' }).click()
  const edit = page.getByRole('dialog', { name: 'Edit Sermon' })
  const replacement = mp3('new.mp3', { bytes: 100_000 })
  await edit.getByLabel('Replacement audio').setInputFiles(replacement)
  await edit.getByRole('button', { name: 'Update' }).click()
  await seeToast(page, 'Teaching updated successfully')
  const [{ audioUrl } = { audioUrl: null }] = await site.list()
  expect(audioUrl).not.toBe(before.audioUrl)
  const old = await fetch(site.url + before.audioUrl!, { redirect: 'manual' })
  expect([old.status, old.headers.get('location')]).toEqual([expect.any(Number), audioUrl])
  expect(old.status).toBeGreaterThanOrEqual(301)
  const arrived = Buffer.from(await (await fetch(site.url + before.audioUrl!)).arrayBuffer())
  expect(arrived.equals(replacement.buffer)).toBe(true)
  const visitor = await site.visit('/teaching')
  const everyone = [page, visitor]
  await play(visitor, 'Hope')
  await comesTo(() => runningRecordings(visitor), [audioUrl])
  expect((await running(visitor))[0]!.of).toBeGreaterThan(20)
  const downloading = visitor.waitForEvent('download')
  await visitor.getByRole('button', { name: 'Download Audio' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toBe('Hope_Jane_Doe_20260301.mp3')
  expect(soundOf(await readFile(await download.path())).equals(soundOf(replacement.buffer))).toBe(true)

  // Deleted only after confirmation.
  const ask = async () => {
    await row(page, 'Hope').getByRole('button', { name: 'Delete Hope' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete Teaching' })
    await dialog.getByText(question, { exact: true }).waitFor()
    return dialog
  }
  const dialog = await ask()
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await comesTo(() => titles(page), ['Hope'])
  expect(await site.list()).toHaveLength(1)
  await (await ask()).getByRole('button', { name: 'Delete', exact: true }).click()
  for (const shown of everyone) await shown.getByText('No teaching available.').waitFor()
  expect(await site.list()).toEqual([])
  await toast(page, 'Teaching Deleted').getByRole('button', { name: 'Undo' }).click()
  await seeToast(page, 'Teaching Restored', 'Hope')
  for (const shown of everyone) await row(shown, 'Hope').waitFor()
  expect(await site.list()).toMatchObject([fields])
})

nightlySuite('editing', () => {
  const fields = { title: 'Hope_in_Christ', speaker: 'Jane Doe', date: '2026-03-01', scriptureReference: '' }
  const dialogOf = async (page: Page, title: string): Promise<Locator> => {
    await row(page, title)
      .getByRole('button', { name: `Edit ${title}` })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
    await dialog.waitFor()
    return dialog
  }

  nightly('validates required fields and shows the saved row', async () => {
    await site.add(mp3('a.mp3'), fields)
    const visitor = await site.visit('/teaching')
    await row(visitor, 'Hope in Christ').waitFor()
    const page = await site.visit('/teaching', { as: member })
    const dialog = await dialogOf(page, 'Hope in Christ')
    const update = dialog.getByRole('button', { name: 'Update' })
    const title = dialog.getByLabel('Title')
    await comesTo(() => title.inputValue(), 'Hope in Christ')
    for (const label of ['Title', 'Speaker', 'Date']) {
      const control = dialog.getByLabel(label)
      const value = await control.inputValue()
      await comesTo(() => update.isEnabled(), true)
      await control.fill('')
      await comesTo(() => update.isDisabled(), true)
      await control.fill(value)
    }
    await title.fill('   ')
    await comesTo(() => update.isDisabled(), true)
    await title.fill('A living hope')
    await dialog.getByLabel('Scripture Reference').fill('1 Peter 1:3-9')
    await update.click()
    await seeToast(page, 'Teaching updated successfully')
    await dialog.waitFor({ state: 'hidden' })
    for (const shown of [page, visitor]) {
      await row(shown, 'A living hope').getByText('1 Peter 1:3-9', { exact: true }).waitFor()
    }
    await comesTo(() => titles(page), ['A living hope'])
  })

  nightly('an unchanged title keeps its underscores', async () => {
    await site.add(mp3('a.mp3'), fields)
    const page = await site.visit('/teaching', { as: member })
    const dialog = await dialogOf(page, 'Hope in Christ')
    await dialog.getByLabel('Speaker').fill('John Smith')
    await dialog.getByRole('button', { name: 'Update' }).click()
    // The row is updated optimistically.
    await row(page, 'Hope in Christ').getByText('John Smith', { exact: true }).waitFor()
    await seeToast(page, 'Teaching updated successfully')
    expect(await site.list()).toMatchObject([{ title: 'Hope_in_Christ', speaker: 'John Smith' }])
  })
})

nightlySuite('deleting', () => {
  const fields = { title: 'To be deleted', speaker: 'Jane Doe', date: '2026-03-01' }
  const ask = async (page: Page): Promise<Locator> => {
    await row(page, fields.title)
      .getByRole('button', { name: `Delete ${fields.title}` })
      .click()
    const dialog = page.getByRole('dialog', { name: 'Delete Teaching' })
    await dialog.getByText(question, { exact: true }).waitFor()
    return dialog
  }

  nightly('open deleted teachings follow deletions and Undo', async () => {
    const { id } = await site.add(mp3('a.mp3'), { ...fields, title: 'Late' })
    const page = await site.visit('/teaching', { as: administrator })
    const release = await hold(page, `**/api/teachings/${id}?*`)
    await row(page, 'Late').getByRole('button', { name: 'Delete Late' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No teaching available.').waitFor()
    const answer = page.waitForResponse('**/api/admin/bin')
    await goWithin(page, '/admin?tab=content&part=deleted')
    expect(await (await answer).text()).not.toContain('Late')
    release()
    const restore = page.getByRole('button', { name: 'Restore Late' })
    await restore.waitFor()
    await toast(page, 'Teaching Deleted').getByRole('button', { name: 'Undo' }).click()
    await restore.waitFor({ state: 'detached' })
  })

  nightly('treats a 404 for a deleted teaching as deleted', async () => {
    const { id } = await site.add(mp3('a.mp3'), fields)
    const page = await site.visit('/teaching', {
      as: member,
      allow: [new RegExp(`^404 /api/teachings/${id}`)],
    })
    await page.route(`**/api/teachings/${id}?*`, async (route) => {
      await call(teachings.remove, { params: { id } }, await site.session())
      await route.continue()
    })
    const answer = page.waitForResponse(`**/api/teachings/${id}?*`)
    await (await ask(page)).getByRole('button', { name: 'Delete', exact: true }).click()
    expect((await answer).status()).toBe(404)
    await seeToast(page, 'Teaching Deleted')
    await page.getByText('No teaching available.').waitFor()
  })
})

nightlySuite('downloading', () => {
  nightly('offline, downloads only complete saved recordings', async () => {
    const recording = mp3('a.mp3')
    await site.add(recording, { title: 'Hope', speaker: 'Jane Doe', date: '2026-03-01' })
    await site.add(mp3('b.mp3'), { title: 'Faith', speaker: 'Jane Doe', date: '2026-03-08' })
    const love = await site.add(mp3('c.mp3'), { title: 'Love', speaker: 'Jane Doe', date: '2026-03-15' })
    const page = await site.visit('/teaching', { allow: offlineErrors })
    await synced(page)
    await save(page, 'Hope')
    await save(page, 'Love')
    await page.context().setOffline(true)
    await page
      .getByText(/^Offline\. Last updated /)
      .first()
      .waitFor()
    await row(page, 'Faith').getByRole('button', { name: 'Play Faith' }).click()
    const button = page.getByRole('button', { name: /^Download Audio/ })
    await comesTo(() => button.isDisabled(), true)
    await row(page, 'Love').getByRole('button', { name: 'Play Love' }).click()
    await comesTo(() => button.isEnabled(), true)
    // Loaded, or the player would be the first to find it gone.
    const file = path.basename(love.audioUrl!)
    await page.waitForFunction((name) => {
      const { currentSrc, buffered, duration } = document.querySelector('audio')!
      return currentSrc.endsWith(name) && buffered.length > 0 && buffered.end(0) >= duration
    }, file)
    await evict(page, love)
    await button.click()
    await seeToast(page, 'Download Failed', '"Love" is not whole on this device. Save it again first.')
    await row(page, 'Hope').getByRole('button', { name: 'Play Hope' }).click()
    await comesTo(() => button.isEnabled(), true)
    const [download] = await Promise.all([page.waitForEvent('download'), button.click()])
    expect(download.suggestedFilename()).toBe('Hope_Jane_Doe_20260301.mp3')
    const downloaded = await readFile(await download.path())
    expect(soundOf(downloaded).equals(soundOf(recording.buffer))).toBe(true)
  })

  nightly('disables Download for 2 s and ignores repeats for 5 s', async () => {
    const recording = mp3('a.mp3')
    await site.add(recording, { title: 'Hope', speaker: 'Jane Doe', date: '2026-03-01' })
    const page = await site.visit('/about')
    await page.clock.install()
    await page.goto(`${site.url}/teaching`)
    await play(page, 'Hope')
    const names: string[] = []
    page.on('download', (download) => names.push(download.suggestedFilename()))
    const button = page.getByRole('button', { name: 'Download Audio' })

    await page.clock.pauseAt(await page.evaluate(() => Date.now() + 5_000))
    const first = page.waitForEvent('download')
    await button.click()
    const downloaded = await readFile(await (await first).path())
    expect(soundOf(downloaded).equals(soundOf(recording.buffer))).toBe(true)
    await page.clock.fastForward(1_999)
    await comesTo(() => button.isDisabled(), true)
    await page.clock.fastForward(1)
    await comesTo(() => button.isEnabled(), true)

    await page.clock.fastForward(2_999)
    await button.click()
    await page.clock.fastForward(1)
    const second = page.waitForEvent('download')
    await button.click()
    await second
    expect(names).toEqual(['Hope_Jane_Doe_20260301.mp3', 'Hope_Jane_Doe_20260301.mp3'])
  })
})
