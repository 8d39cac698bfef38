import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { wavHead } from '@fellowship/api/testing/long-wav'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import type { CDPSession } from 'playwright-core'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openBrowser } from './support/browser.ts'
import { watchConsole } from './support/console.ts'
import { journey } from './support/journey.ts'
import {
  serverDown,
  evict,
  save,
  saveControl,
  seeState,
  seekTo,
  synced,
  sound,
} from './support/offline-steps.ts'
import { mp3, type RecordingFile } from './support/recordings.ts'
import { comesTo, hold, play, row, running, sounds } from './support/screens.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()
const speaker = 'Jane Doe'
let shepherd: Teaching

beforeEach(async () => {
  if (site.product.process.signalCode) await site.startAgain()
  await site.empty()
  shepherd = await site.add(mp3('a.mp3', { bytes: 3_000_000 }), {
    title: 'The good shepherd',
    speaker,
    date: '2026-11-15',
  })
  await site.add(mp3('b.mp3', { bytes: 2_500_000 }), { title: 'Living hope', speaker, date: '2026-11-08' })
})

const usage = (line: CDPSession) =>
  line.send('Storage.getUsageAndQuota', { origin: site.url }).then((answer) => answer.usage)

/** White noise below half the full scale, which browsers cannot compress. */
function noise(name: string, bytes: number): RecordingFile {
  const samples = randomBytes(bytes)
  for (let at = 1; at < bytes; at += 2) samples.writeInt8(samples.readInt8(at) >> 1, at)
  return { name, mimeType: 'audio/wav', buffer: Buffer.concat([wavHead(samples.length), samples]) }
}

/** Sets the storage quota of the site in bytes. */
async function limitRoom(line: CDPSession, quotaSize: number): Promise<void> {
  await line.send('Storage.overrideQuotaForOrigin', { origin: site.url, quotaSize })
}

nightlySuite('saved recordings that fail', () => {
  test('a full device keeps the partial download and resumes', async () => {
    // Far more room than nothing, and far less than the recording: a database grows and shrinks by megabytes when it is opened again.
    const [bytes, room] = [24_000_000, 8_000_000]
    await site.add(noise('noise.wav', bytes), { title: 'Many waters', speaker, date: '2026-11-18' })
    // Incognito contexts have no adjustable quota, and a browser caches the quota for half a minute: so this restarts
    // a browser with a profile.
    const profile = await mkdtemp(path.join(tmpdir(), 'full-device-'))
    onTestFinished(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }))
    const before = await openBrowser({ profile, windowless: true })
    const earlier = await before.context.newPage()
    await earlier.goto(`${site.url}/teaching`)
    await synced(earlier)
    await save(earlier, 'Living hope')
    const taken = await usage(await before.context.newCDPSession(earlier))
    await before.close()

    const browser = await openBrowser({ profile, windowless: true })
    onTestFinished(() => browser.close())
    const page = await browser.context.newPage()
    const console = watchConsole(page, { allow: ['404 /favicon.ico'] })
    await page.goto(`${site.url}/robots.txt`)
    const line = await browser.context.newCDPSession(page)
    await limitRoom(line, taken + room)
    await page.goto(`${site.url}/teaching`)
    await synced(page)
    await saveControl(page, 'Many waters').click()
    await row(page, 'Many waters')
      .getByText(/^Your device is full\. \d+ % is saved/)
      .waitFor()
    await row(page, 'Many waters').getByRole('button', { name: 'Manage saved teaching: Many waters' }).click()
    const sheet = page.getByRole('dialog', { name: 'Saved teaching' })
    await sheet.getByText(/Waits for room/).waitFor()
    // Removing may not free the bytes at once, so the quota grows too.
    await limitRoom(line, 100_000_000)
    await sheet.getByRole('button', { name: 'Remove Living hope' }).click()
    const question = page.getByRole('dialog', { name: 'Remove “Living hope”?' })
    await question.getByText('This frees 3 MB.', { exact: false }).waitFor()
    await question.getByRole('button', { name: 'Remove', exact: true }).click()
    await page.getByRole('dialog', { name: 'Saved teaching' }).getByRole('button', { name: 'Done' }).click()
    await seeState(page, 'Many waters', 'Saved')
    expect(console.noise()).toEqual([])
    await row(page, 'Living hope')
      .getByRole('button', { name: /^Save offline/ })
      .waitFor()
  })

  test('a device too full for the request reports it in place', async () => {
    const profile = await mkdtemp(path.join(tmpdir(), 'fuller-device-'))
    onTestFinished(() => rm(profile, { recursive: true, force: true, maxRetries: 5 }))
    const before = await openBrowser({ profile, windowless: true })
    const earlier = await before.context.newPage()
    await earlier.goto(`${site.url}/teaching`)
    await synced(earlier)
    const taken = await usage(await before.context.newCDPSession(earlier))
    await before.close()

    const browser = await openBrowser({ profile, windowless: true })
    onTestFinished(() => browser.close())
    const page = await browser.context.newPage()
    await page.goto(`${site.url}/robots.txt`)
    await limitRoom(await browser.context.newCDPSession(page), taken + 500)
    await page.goto(`${site.url}/teaching`)
    await page.getByRole('navigation', { name: 'Which teaching' }).waitFor()
    await page.evaluate(() => Object.assign(window, { stillHere: true }))
    const noRoom = /^Your device is full\. Free some space/
    await saveControl(page, 'Living hope').click()
    await row(page, 'Living hope').getByText(noRoom).waitFor()
    await page.getByRole('button', { name: 'Manage saved teaching' }).click()
    const sheet = page.getByRole('dialog', { name: 'Saved teaching' })
    await sheet.getByLabel('A speaker or a year').selectOption({ label: speaker })
    await sheet.getByRole('button', { name: /^Save \d+ \(/ }).click()
    await sheet.getByText(noRoom).waitFor()
    const newest = sheet.getByRole('switch', { name: 'Always keep the newest 5' })
    await newest.click()
    await comesTo(() => newest.isChecked(), false)
    await sheet.getByRole('button', { name: 'Done' }).click()
    await page.getByRole('button', { name: 'Sync', exact: true }).click()
    await page
      .getByText('This device is full. Free some space on it and try again.', { exact: true })
      .waitFor()
    // The page was not reloaded.
    expect(await page.evaluate(() => 'stillHere' in window)).toBe(true)
  })

  test('an evicted recording is reported and saved again', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    await save(page, 'The good shepherd')
    await evict(page, shepherd, 1)
    await page.reload()
    await seeState(page, 'The good shepherd', 'Removed by your device. Save again?')
    await saveControl(page, 'The good shepherd').click()
    await seeState(page, 'The good shepherd', 'Saved')

    await evict(page, shepherd, 1)
    await page.reload()
    await seeState(page, 'The good shepherd', 'Removed by your device. Save again?')
    await page.getByRole('button', { name: 'Manage saved teaching', exact: true }).click()
    const sheet = page.getByRole('dialog', { name: 'Saved teaching' })
    await sheet.getByRole('button', { name: 'Save The good shepherd again' }).click()
    await sheet.getByRole('listitem').getByText('3 MB', { exact: true }).waitFor()
    await sheet.getByRole('button', { name: 'Done' }).click()
    await seeState(page, 'The good shepherd', 'Saved')
  })

  test('a recording evicted while playing continues online', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    await save(page, 'The good shepherd')
    await evict(page, shepherd, 1)
    await play(page, 'The good shepherd')
    await seekTo(page, 0.8)
    await seeState(page, 'The good shepherd', 'Removed by your device. Save again?')
    await sounds(page)
    // The service worker fetches them, and the element keeps its source.
    expect((await sound(page)).src).toMatch(/\/offline-audio\//)
    const { at, of } = await sound(page)
    expect(at / of).toBeGreaterThan(0.7)
  })

  test('a recording missing on the server gives the reason', async () => {
    const page = await site.visit('/teaching', { allow: [/^404 \/audio\//] })
    await synced(page)
    await page.route('**/audio/*', (route) =>
      route.fulfill({
        status: 404,
        json: { success: false, code: 'not_found', error: 'It was removed.' },
      }),
    )
    await saveControl(page, 'Living hope').click()
    await row(page, 'Living hope').getByText('It could not be saved: It was removed.').waitFor()
    await page.unroute('**/audio/*')
    await saveControl(page, 'Living hope').click()
    await seeState(page, 'Living hope', 'Saved')
  })
})

nightly('two tabs download a recording once', async () => {
  const asked: string[] = []
  const one = await site.visit('/teaching')
  await synced(one)
  const two = await site.visitBeside(one, '/teaching')
  await synced(two)
  for (const page of [one, two]) {
    page.on('request', (request) => request.url().includes('/audio/') && asked.push(request.url()))
  }
  // Held until both tabs have requested it: else the second would find it saved already.
  const releases = await Promise.all([one, two].map((page) => hold(page, '**/audio/**')))
  // Both clicked at once: a tab that knows of the other's request would show another button.
  const wish = (button: HTMLElement | SVGElement) => {
    if (button.textContent?.startsWith('Save offline')) (button as HTMLElement).click()
  }
  await Promise.all([one, two].map((page) => saveControl(page, 'The good shepherd').evaluate(wish)))
  for (const release of releases) release()
  await seeState(one, 'The good shepherd', 'Saved')
  await seeState(two, 'The good shepherd', 'Saved')
  expect(asked).toHaveLength(1)
  await site.add(mp3('c.mp3'), { title: 'Be still', speaker, date: '2026-11-20' })
  await row(one, 'Be still').waitFor()
  await row(two, 'Be still').waitFor()
})

test('keeps the newest, saves a speaker and exports a ZIP', async () => {
  const page = await site.visit('/teaching')
  await synced(page)
  await page.getByRole('button', { name: 'Manage saved teaching' }).click()
  const sheet = page.getByRole('dialog', { name: 'Saved teaching' })
  await sheet.getByRole('combobox', { name: 'A speaker or a year' }).selectOption('speaker:Jane Doe')
  await sheet.getByRole('button', { name: 'Save 2 (6 MB)' }).click()
  await sheet.getByText('On this device (2)').waitFor()
  const pack = sheet.getByRole('button', { name: 'Make a ZIP of 2 (6 MB)' })
  await pack.waitFor()
  const download = page.waitForEvent('download')
  await pack.click()
  expect((await download).suggestedFilename()).toBe('teaching.zip')
  await sheet.getByRole('switch', { name: 'Always keep the newest 5' }).check()
  await site.add(mp3('c.mp3'), { title: 'Be still', speaker: 'John Smith', date: '2026-11-20' })
  await sheet.getByText('On this device (3)').waitFor()
  await sheet.getByRole('button', { name: 'Done' }).click()
  await seeState(page, 'Be still', 'Saved')
  await page.getByRole('link', { name: 'Saved (3)' }).click()
  await page.getByRole('heading', { name: 'Saved on this device' }).waitFor()
  expect(new URL(page.url()).search).toBe('?show=saved')
})

nightly('heads the list with its view, with and without the parameter', async () => {
  const page = await site.visit('/teaching')
  await synced(page)
  const views = async () => [
    await page.getByRole('main').getByRole('heading', { level: 2 }).first().textContent(),
    await page.getByRole('navigation', { name: 'Which teaching' }).getByRole('link').allTextContents(),
  ]
  await comesTo(views, ['All Teaching', ['Saved (0)']])
  await page.getByRole('link', { name: 'Saved (0)' }).click()
  await comesTo(views, ['Saved on this device', ['All Teaching']])
  await page.reload()
  await comesTo(views, ['Saved on this device', ['All Teaching']])
  await page.getByRole('link', { name: 'All Teaching', exact: true }).click()
  await comesTo(views, ['All Teaching', ['Saved (0)']])
})

nightly('shows persistent storage once granted', async () => {
  // An incognito context is not granted persistent storage.
  const browser = await openBrowser({ windowless: true })
  onTestFinished(() => browser.close())
  const page = await browser.context.newPage()
  const console = watchConsole(page)
  await page.goto(`${site.url}/teaching`)
  await synced(page)
  const promise = page.getByText('Protected: the browser will not clear it by itself')
  await page.getByRole('button', { name: 'Manage saved teaching' }).click()
  await page.getByText(/^Nothing used/).waitFor()
  expect(await promise.count()).toBe(0)
  await page.keyboard.press('Escape')

  // Granted, as browsers do for a site that is installed or often visited.
  const line = await browser.context.newCDPSession(page)
  await line.send('Browser.grantPermissions', { origin: site.url, permissions: ['durableStorage'] })
  await save(page, 'The good shepherd')
  await page.getByRole('button', { name: 'Manage saved teaching' }).click()
  await promise.waitFor()
  expect(console.noise()).toEqual([])
})

describe('the player', () => {
  nightly.each([
    { width: 360, height: 740, text: '100%' },
    { width: 360, height: 740, text: '200%' },
    { width: 1280, height: 480, text: '100%' },
  ])('no toast covers the bar at $width px and $text text', async ({ text, ...viewport }) => {
    const page = await site.visit('/teaching', { viewport })
    await synced(page)
    await page.evaluate((size) => (document.documentElement.style.fontSize = size), text)
    await play(page, 'The good shepherd')
    // Its row is out of sight: the bar takes its place.
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    const bar = page.locator('#notices').getByRole('region', { name: 'Player: The good shepherd' })
    await bar.waitFor()
    // Without scrolling back to it.
    await page.getByRole('button', { name: 'Sync' }).dispatchEvent('click')
    const toast = page.locator('#toasts li')
    await toast.getByText('Cache Synchronized').waitFor()
    const bottom = async () => {
      const { y, height } = (await toast.boundingBox())!
      return y + height
    }
    expect(await bottom()).toBeLessThanOrEqual((await bar.boundingBox())!.y)
    // It goes down to the edge as the bar leaves it; on a phone the places of the library are there.
    await page.evaluate(() => scrollTo({ top: 0, behavior: 'instant' }))
    await row(page, 'The good shepherd').getByRole('slider', { name: 'Position' }).scrollIntoViewIfNeeded()
    await bar.waitFor({ state: 'detached' })
    const places = (await page.getByRole('navigation', { name: 'Main' }).boundingBox())!
    const edge = viewport.width < 640 ? places.y : viewport.height
    await comesTo(async () => Math.abs(edge - (await bottom())) < 60, true)
    expect(await bottom()).toBeLessThanOrEqual(edge)
  })

  test('plays across pages and links back to its row', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    await play(page, 'The good shepherd')
    await seekTo(page, 0.5)
    const bar = page.getByRole('region', { name: 'Player: The good shepherd' })
    await page.getByRole('link', { name: 'About', exact: true }).first().click()
    await page.getByRole('heading', { level: 1, name: 'Who We Are' }).waitFor()
    await bar.getByRole('button', { name: 'Pause' }).waitFor()
    await sounds(page)
    // The end of the page is readable above the player bar.
    await page.evaluate(() => scrollTo({ top: document.body.scrollHeight, behavior: 'instant' }))
    const version = (await page.getByText(/^Version /).boundingBox())!
    expect(version.y + version.height).toBeLessThan((await bar.boundingBox())!.y)
    await bar.getByRole('button', { name: /^Open the player: / }).click()
    const full = page.getByRole('dialog', { name: 'The good shepherd' })
    await full.getByRole('button', { name: 'Forward 30 seconds' }).waitFor()
    await page.keyboard.press('Escape')
    await full.waitFor({ state: 'detached' })
    await bar.getByRole('button', { name: /^Open the player: / }).click()
    await full.getByRole('button', { name: 'About this teaching' }).click()
    await page.getByRole('heading', { level: 1, name: 'The good shepherd' }).waitFor()
    await page.getByRole('main').getByRole('slider', { name: 'Position' }).waitFor()
    await comesTo(() => bar.getByRole('button', { name: 'Close the player' }).count(), 0)
    await sounds(page)
  })

  nightly('resumes at the stored position or restarts on request', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    await play(page, 'The good shepherd')
    await seekTo(page, 0.5)
    await comesTo(async () => {
      const { at, of } = await sound(page)
      return at / of > 0.45
    }, true)
    await row(page, 'The good shepherd').getByRole('combobox', { name: 'Speed' }).selectOption('1.25')
    const again = await site.visitBeside(page, '/teaching')
    await page.close()
    const strip = again.getByRole('region', { name: 'Continue listening: The good shepherd' })
    await strip.getByText(/^\d+:\d\d left/).waitFor()
    await strip.getByRole('button', { name: /^Continue: / }).click()
    await sounds(again)
    const { at, of } = await sound(again)
    expect(at / of).toBeGreaterThan(0.45)
    expect(await again.evaluate(() => document.querySelector('audio')!.playbackRate)).toBe(1.25)
    await row(again, 'The good shepherd').getByRole('button', { name: 'Start over' }).click()
    await comesTo(async () => (await sound(again)).at < 30, true)
    await sounds(again)
  })

  nightly('the newest tab plays alone', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    await play(page, 'The good shepherd')
    await sounds(page)
    const newest = await site.visitBeside(page, '/teaching')
    await synced(newest)
    await play(newest, 'The good shepherd')
    await sounds(newest)
    await comesTo(async () => (await running(page)).length, 0)
    expect((await running(newest)).length).toBe(1)
  })

  nightly('publishes Media Session metadata and handles its actions', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    await page.evaluate(() => {
      const set = navigator.mediaSession.setActionHandler.bind(navigator.mediaSession)
      const handlers = ((globalThis as unknown as Record<string, unknown>)['handlers'] = new Map())
      navigator.mediaSession.setActionHandler = (action, handler) => {
        handlers.set(action, handler)
        set(action, handler)
      }
    })
    await play(page, 'The good shepherd')
    const told = await page.evaluate(() => {
      const { metadata, playbackState } = navigator.mediaSession
      const handlers = (globalThis as unknown as { handlers: Map<string, unknown> }).handlers
      return {
        title: metadata?.title,
        artist: metadata?.artist,
        playbackState,
        actions: [...handlers.keys()],
      }
    })
    expect(told).toEqual({
      title: 'The good shepherd',
      artist: speaker,
      playbackState: 'playing',
      actions: ['play', 'pause', 'stop', 'seekbackward', 'seekforward', 'seekto'],
    })
    const act = (action: string, details: object = {}) =>
      page.evaluate(
        ([name, given]) =>
          (globalThis as unknown as { handlers: Map<string, (details: object) => void> }).handlers.get(name)!(
            given,
          ),
        [action, details] as const,
      )
    await act('seekto', { seekTime: 300 })
    await comesTo(async () => (await sound(page)).at > 299, true)
    await act('seekbackward', { seekOffset: 100 })
    await comesTo(async () => (await sound(page)).at < 250, true)
    await act('pause')
    await comesTo(async () => (await sound(page)).paused, true)
  })

  nightly('the sleep timer stops playback on time', async () => {
    const page = await site.visit('/teaching')
    await synced(page)
    await page.clock.install()
    await play(page, 'The good shepherd')
    const timer = row(page, 'The good shepherd').getByRole('combobox', { name: 'Sleep timer' })
    await timer.selectOption('Stop after 15 min')
    await comesTo(() => timer.locator('option:checked').textContent(), 'Stops in 15 min')
    await page.clock.fastForward('14:00')
    await sounds(page)
    await page.clock.fastForward('01:00')
    await comesTo(async () => (await sound(page)).paused, true)
    await comesTo(() => timer.locator('option:checked').textContent(), 'Sleep timer')
  })

  nightly('keeps playing a saved teaching without connection', async () => {
    const page = await site.visit('/teaching', { allow: serverDown })
    await synced(page)
    await save(page, 'The good shepherd')
    await play(page, 'The good shepherd')
    await site.product.kill()
    await seekTo(page, 0.7)
    await sounds(page)
    await page.getByText('You are offline', { exact: true }).waitFor()
  })

  nightly('continues from the device when saved during playback', async () => {
    // More than a browser buffers ahead.
    await site.add(noise('noise.wav', 40_000_000), { title: 'Many waters', speaker, date: '2026-11-18' })
    const page = await site.visit('/teaching', { allow: serverDown })
    await synced(page)
    await play(page, 'Many waters')
    // Verifying takes half a second a megabyte if the browser does not optimize, as in these tests.
    await save(page, 'Many waters', 90_000)
    await site.product.kill()
    await seekTo(page, 0.9)
    await sounds(page)
    await row(page, 'Many waters').getByText('Playing from this device').waitFor()
  })
})
