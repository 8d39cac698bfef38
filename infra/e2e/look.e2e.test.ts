import type { Locator, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { save, synced } from './support/offline-steps.ts'
import { administrator, member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, whenStarted } from './support/screens.ts'

const site = journey()
const phone = { viewport: { width: 360, height: 740 } }
const speaker = 'Thomas Harrington'

beforeAll(async () => {
  await site.add(mp3('a.mp3', { bytes: 400_000 }), {
    title: 'Hope in Christ',
    speaker,
    date: '2026-03-01',
    scriptureReference: 'Romans 8:28-39',
  })
})

const boxOf = async (target: Locator) => (await target.boundingBox())!
const isCut = (target: Locator) =>
  target.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth + 1)
const scrollsSideways = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollWidth - innerWidth > 0)

describe('on a phone', () => {
  test('a row shows the whole speaker', async () => {
    const page = await site.visit('/teaching', phone)
    expect(await isCut(row(page, 'Hope in Christ').getByText(speaker, { exact: true }))).toBe(false)
  })

  test('offline, saved teachings are shown until the connection is back', async () => {
    const page = await site.visit('/teaching', { ...phone, allow: [/./] })
    await synced(page)
    await save(page, 'Hope in Christ')
    await page.context().setOffline(true)
    await page.reload()
    await page.getByRole('link', { name: 'All Teaching' }).waitFor()
    const status = page.getByRole('main').getByText(/^Offline\. Last updated/)
    const [line, search] = [await boxOf(status), await boxOf(page.getByRole('searchbox'))]
    expect(line.y).toBeGreaterThan(search.y + search.height)
    await page.context().setOffline(false)
    await page.getByRole('heading', { name: 'All Teaching' }).waitFor()
  })

  test('the choices of the settings fit the largest text', async () => {
    const page = await site.visit('/', phone)
    await page.evaluate(() => localStorage.setItem('comfort', '{"text":"larger"}'))
    await page.reload()
    await page.getByRole('button', { name: 'Open the menu' }).click()
    await page.getByRole('button', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    for (const name of ['Auto', 'Light', 'Dark'])
      expect(await isCut(dialog.locator('label').filter({ hasText: name }).first()), name).toBe(false)
    expect(await scrollsSideways(page)).toBe(false)
    await page.evaluate(() => localStorage.removeItem('comfort'))
  })

  test('Sign Out is on the first screen of the menu', async () => {
    const page = await site.visit('/', { ...phone, as: administrator })
    await page.getByRole('button', { name: 'Open the menu' }).click()
    const { y, height } = await boxOf(
      page.getByRole('dialog', { name: 'Menu' }).getByRole('button', { name: 'Sign Out' }),
    )
    expect(y + height).toBeLessThanOrEqual(phone.viewport.height)
  })

  test('a long passage fades out above its copyright line', async () => {
    const page = await site.visit('/about', { viewport: { width: 360, height: 420 } })
    await page.getByRole('button', { name: 'John 1:1-14', exact: true }).click()
    const popover = page.getByRole('dialog', { name: 'John 1:1-14' })
    const scrolls = () => popover.evaluate((box) => box.scrollHeight > box.clientHeight + 24)
    await comesTo(scrolls, true)
    const fade = await popover.getByText(/^Scripture/).evaluate((line) => {
      const { height, bottom, backgroundImage } = getComputedStyle(line, '::before')
      return { height, bottom, backgroundImage, above: line.clientHeight }
    })
    expect(fade).toMatchObject({
      height: '24px',
      backgroundImage: expect.stringMatching(/^linear-gradient/) as string,
    })
    expect(Number.parseFloat(fade.bottom)).toBeCloseTo(fade.above, 0)
  })

  test('the newest can be kept before anything is saved', async () => {
    const page = await site.visit('/listening', { ...phone, firstVisit: true })
    // The background work begins with the first sign of a person.
    await page.keyboard.press('Shift')
    await page.getByRole('switch', { name: /^Always keep the newest/ }).waitFor()
  })
})

test('the first HTML of My listening has its parts', async () => {
  const html = await (await fetch(`${site.url}/listening`)).text()
  for (const part of ['Continue', 'Up next', 'Saved']) expect(html).toContain(`>${part}</h2>`)
})

test('tabs and links of the administration are one row on a tablet', async () => {
  const page = await site.visit('/admin', { viewport: { width: 768, height: 1024 }, as: administrator })
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Admin' }).waitFor()
  expect((await boxOf(page.getByRole('banner'))).height).toBeLessThan(90)
  for (const tabs of await page.getByRole('tablist').all())
    expect((await boxOf(tabs)).height).toBeLessThan(80)
  expect(await scrollsSideways(page)).toBe(false)
})

test('toasts leave the field in use visible', async () => {
  const page = await site.visit('/teaching', { ...phone, as: member })
  await whenStarted(page)
  const search = page.getByRole('searchbox')
  await page.getByRole('button', { name: 'Sync' }).click()
  await page.locator('#toasts li').waitFor()
  await search.focus()
  await search.evaluate((field) => field.scrollIntoView({ block: 'end' }))
  await comesTo(async () => {
    const [used, toast] = [await boxOf(search), await boxOf(page.locator('#toasts li'))]
    return used.y < toast.y + toast.height && toast.y < used.y + used.height
  }, false)
})
