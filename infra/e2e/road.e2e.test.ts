import type { Page } from 'playwright-core'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { call } from '@fellowship/sync/call/call'
import { serveLine, type Line } from '../lab/line/line.ts'
import { journey } from './support/journey.ts'
import { evict, seekTo, seeState, sound, synced } from './support/offline-steps.ts'
import { addSessionCookie, member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { nightly } from './support/in-soak.ts'
import { comesTo, goWithin, play, row, seeToast, sounds } from './support/screens.ts'
import { bar, choose } from './support/up-next-steps.ts'

const site = journey()
const town = { rate: 30_000_000, delay: 20 }
let line: Line
let shepherd: Teaching
beforeAll(async () => {
  line = await serveLine(site.url, town)
})
afterAll(() => line?.stop())
beforeEach(async () => {
  line.become(town)
  line.setSignal(true)
  await site.empty()
  const speaker = 'Jane Doe'
  shepherd = await site.add(mp3('a.mp3', { bytes: 3_000_000 }), {
    title: 'The good shepherd',
    speaker,
    date: '2026-11-15',
  })
  await site.add(mp3('b.mp3', { bytes: 1_200_000 }), { title: 'Living hope', speaker, date: '2026-11-08' })
})

/** A page of the site behind the line. */
async function onTheRoad(): Promise<Page> {
  const page = await site.visit('/robots.txt', { firstVisit: true, allow: [/./] })
  await page.goto(`${line.url}/teaching`)
  await synced(page)
  return page
}

interface HeldRow {
  title: string
  state: string
  bytes: number
}

/** The recordings that are held and not saved, by title. */
const held = (page: Page): Promise<HeldRow[]> =>
  page.evaluate(async () => {
    const database = await new Promise<IDBDatabase>((resolve, reject) => {
      const request = indexedDB.open('audio')
      request.onsuccess = () => resolve(request.result)
      request.onerror = () => reject(new Error('not opened'))
    })
    const rows = database.transaction('recordings').objectStore('recordings').getAll()
    await new Promise((resolve) => (rows.onsuccess = resolve))
    database.close()
    return (rows.result as (HeldRow & { ahead?: object })[])
      .filter(({ ahead }) => ahead)
      .map(({ title, state, bytes }) => ({ title, state, bytes }))
      .sort((a, b) => (a.title < b.title ? -1 : 1))
  })
const isWhole = (page: Page, title: string) =>
  comesTo(async () => (await held(page)).some((each) => each.title === title && each.state === 'ready'), true)

test('plays through a dead spot, and fetches each byte once', async () => {
  const page = await onTheRoad()
  await choose(page, 'Living hope', 'Add to Up next')
  const before = line.received()
  await play(page, 'The good shepherd')
  await sounds(page)
  expect((await sound(page)).src).toMatch(/\/offline-audio\/[0-9a-f]{64}\.mp3$/)
  await isWhole(page, 'The good shepherd')
  await isWhole(page, 'Living hope')
  expect(line.received() - before).toBeLessThan((3_000_000 + 1_200_000) * 1.15)
  line.setSignal(false)
  await seekTo(page, 0.9)
  await comesTo(async () => (await sound(page)).at > 600, true)
  await sounds(page)
  await goWithin(page, '/')
  await bar(page, 'The good shepherd').getByText('Whole on this device').waitFor()
  // Up next goes on too.
  await page.evaluate(() => {
    const audio = document.querySelector('audio')!
    audio.currentTime = audio.duration - 1
  })
  await bar(page, 'Living hope').waitFor()
  await sounds(page)
})

nightly('a stall keeps its place, and sound comes back', async () => {
  const page = await onTheRoad()
  line.become({ rate: 200_000, delay: 100 })
  await play(page, 'The good shepherd')
  await sounds(page)
  line.setSignal(false)
  await seekTo(page, 0.5)
  await row(page, 'The good shepherd').getByText('Waiting for a connection', { exact: false }).waitFor()
  const { at, paused } = await sound(page)
  expect(paused).toBe(false)
  line.setSignal(true)
  await comesTo(async () => (await sound(page)).at > at + 1, true)
  expect((await sound(page)).at).toBeLessThan(at + 60)
  await comesTo(() => page.evaluate(() => navigator.mediaSession.playbackState), 'playing')
})

nightly('what is held can be saved, freed and signed out of', async () => {
  const page = await onTheRoad()
  await addSessionCookie({ ...(await site.session(member)), base: line.url }, page.context())
  await page.reload()
  await synced(page)
  await play(page, 'Living hope')
  await isWhole(page, 'Living hope')
  const before = line.received()
  await row(page, 'Living hope')
    .getByRole('button', { name: /^Save offline/ })
    .click()
  await seeState(page, 'Living hope', 'Saved')
  expect(line.received() - before).toBeLessThan(500_000)
  expect(await held(page)).toEqual([])

  await play(page, 'The good shepherd')
  await isWhole(page, 'The good shepherd')
  await goWithin(page, '/listening')
  const road = page.getByRole('region', { name: 'For the road (1)' })
  await road.getByRole('heading', { name: 'The good shepherd' }).waitFor()
  await road.getByRole('button', { name: 'Free 3 MB' }).click()
  await road.waitFor({ state: 'detached' })
  expect(await held(page)).toEqual([])

  await goWithin(page, '/teaching')
  await row(page, 'The good shepherd')
    .getByRole('button', { name: /^Pause and close/ })
    .click()
  await play(page, 'The good shepherd')
  await isWhole(page, 'The good shepherd')
  await page.getByRole('button', { name: 'Mere Member' }).click()
  await page.getByRole('button', { name: 'Sign Out' }).click()
  await seeToast(page, 'Logout successful')
  expect(await held(page)).toEqual([])
  await goWithin(page, '/teaching')
  // It was saved on purpose.
  await seeState(page, 'Living hope', 'Saved')
})

nightly('two tabs fetch a recording once, and one outlives the other', async () => {
  const page = await onTheRoad()
  const other = await page.context().newPage()
  await other.goto(`${line.url}/teaching`)
  await synced(other)
  line.become({ rate: 2_000_000, delay: 50 })
  const before = line.received()
  for (const each of [page, other]) {
    await play(each, 'The good shepherd')
    await sounds(each)
  }
  await page.close()
  await isWhole(other, 'The good shepherd')
  // The chunk of the moment may be asked for by each of them.
  expect(line.received() - before).toBeLessThan(3_000_000 * 1.15 + 1024 * 1024)
  line.setSignal(false)
  await seekTo(other, 0.9)
  await comesTo(async () => (await sound(other)).at > 600, true)
  await sounds(other)
})

nightly('the storage of the device names what is held', async () => {
  const page = await onTheRoad()
  await play(page, 'The good shepherd')
  await isWhole(page, 'The good shepherd')
  await row(page, 'Living hope')
    .getByRole('button', { name: /^Save offline/ })
    .click()
  await seeState(page, 'Living hope', 'Saved')
  await page.getByRole('button', { name: 'Settings' }).first().click()
  const settings = page.getByRole('dialog', { name: 'Settings' })
  await settings.getByText(/^1 MB used of about/).waitFor()
  await settings.getByText('3 MB more is held for the road. It goes when the room is needed.').waitFor()
  await page.keyboard.press('Escape')
  await goWithin(page, '/listening')
  await page.getByRole('button', { name: 'Free 3 MB' }).click()
  await page.getByRole('button', { name: 'Settings' }).first().click()
  await settings.getByText(/^1 MB used of about/).waitFor()
  await settings.getByText('for the road', { exact: false }).waitFor({ state: 'detached' })
})

nightly('a recording that is replaced is finished as begun', async () => {
  const page = await onTheRoad()
  line.become({ rate: 1_000_000, delay: 50 })
  await play(page, 'The good shepherd')
  await comesTo(async () => ((await held(page))[0]?.bytes ?? 0) > 0, true)
  const { src } = await sound(page)
  const { id, title, speaker, date } = shepherd
  const { name, buffer } = mp3('c.mp3', { bytes: 2_000_000 })
  const body = { title, speaker, date, scriptureReference: '' }
  const files = { audioFile: new File([new Uint8Array(buffer)], name) }
  await call(teachings.update, { params: { id }, body, files }, await site.session())
  line.become(town)
  await isWhole(page, 'The good shepherd')
  await seekTo(page, 0.9)
  await comesTo(async () => (await sound(page)).at > 600, true)
  await sounds(page)
  expect((await sound(page)).src).toBe(src)
})

nightly('goes on when the browser has deleted bytes', async () => {
  const page = await onTheRoad()
  await play(page, 'The good shepherd')
  await isWhole(page, 'The good shepherd')
  await evict(page, shepherd, 1)
  await seekTo(page, 0.8)
  await comesTo(async () => (await sound(page)).at > 500, true)
  await sounds(page)
})
