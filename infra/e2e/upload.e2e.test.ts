import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { copyTexts } from '@fellowship/schema/copies/copies.texts'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import type { Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { member } from './support/people.ts'
import { m4a, mp3, soundOf, wav, type RecordingFile } from './support/recordings.ts'
import {
  comesTo,
  dropFile,
  hold,
  openUpload,
  pickFile,
  play,
  row,
  running,
  runningRecordings,
  seeToast,
  sounds,
  titles,
  uploadPanel,
} from './support/screens.ts'
import { temporaryFolder } from './support/temporary-folder.ts'
import { uploadRecording, partlyUploaded, throttleUploads } from './support/upload-steps.ts'
import { nightly } from './support/in-soak.ts'

const site = journey()
/** A long name is shortened in its middle. */
const startOf = (name: string) => name.slice(0, 12)
const folder = temporaryFolder()

beforeEach(() => site.empty())

const send = (page: Page) =>
  uploadPanel(page)
    .getByRole('button', { name: /^Upload (Teaching|\d+ teachings)$/ })
    .click()
const parsed = (page: Page) =>
  uploadPanel(page).getByText('Filename Parsed Successfully', { exact: true }).waitFor()
const banner = (page: Page) =>
  page.getByRole('status').filter({ has: page.getByText('File upload successful', { exact: true }) })

async function onDisk({ name, buffer }: RecordingFile): Promise<string> {
  const file = path.join(folder, name)
  await writeFile(file, buffer)
  return file
}

describe('a recording from upload to download', () => {
  const recording = mp3('2026-11-22_José-Núñez"Tūmanako for today"_Romans_8_28-39.mp3', { bytes: 1_000_000 })
  const title = 'Tūmanako for tomorrow'

  test('uploads with a corrected title, finds, plays and downloads', async () => {
    await site.add(mp3('b.mp3'), { title: 'Be still', speaker: 'Jane Doe', date: '2026-11-15' })
    const visitor = await site.visit('/teaching')
    await row(visitor, 'Be still').waitFor()

    const page = await site.visit('/teaching', { as: member })
    await pickFile(page, recording)
    await parsed(page)
    const panel = uploadPanel(page)
    await panel.getByText(startOf(recording.name)).waitFor()
    await panel.getByText(/^1\.0 MB/).waitFor()
    const shown = ['Title', 'Speaker', 'Date', 'Scripture Reference'].map((label) => panel.getByLabel(label))
    expect(await Promise.all(shown.map((field) => field.inputValue()))).toEqual([
      'Tūmanako for today',
      'José Núñez',
      '2026-11-22',
      'Romans 8:28-39',
    ])
    await panel.getByLabel('Title').fill(title)
    await send(page)
    await banner(page).getByText(`${title}, José Núñez`).waitFor()
    await seeToast(page, 'File upload successful', title)
    await comesTo(() => titles(page), [title, 'Be still'])
    for (const words of ['22 November 2026', 'José Núñez', 'Romans 8:28-39', '4:15']) {
      await row(page, title).getByText(words, { exact: true }).waitFor()
    }
    await comesTo(() => panel.getByLabel('Title').count(), 0)

    await visitor.getByRole('button', { name: 'Sync' }).click()
    await seeToast(visitor, 'Cache Synchronized')
    await comesTo(() => titles(visitor), [title, 'Be still'])
    expect(
      await row(visitor, title)
        .getByRole('button', { name: /Edit|Delete/ })
        .count(),
    ).toBe(0)
    const search = visitor.getByPlaceholder('Search teaching by title, speaker, or topic...')
    for (const words of ['tomorrow', 'Núñez', 'tumanako', 'jose nunez', 'Romans 8', 'rom 8:30']) {
      await search.fill(words)
      await visitor.getByRole('heading', { name: 'Search Results (1)' }).waitFor()
      await comesTo(() => titles(visitor), [title])
    }
    await search.fill('')

    const { audioUrl } = (await site.list())[0]!
    await play(visitor, title)
    const player = visitor.getByRole('region', { name: `Player: ${title}` })
    await comesTo(() => runningRecordings(visitor), [audioUrl])
    const slider = player.getByRole('slider', { name: 'Position' })
    const { width, height } = (await slider.boundingBox())!
    await slider.click({ position: { x: width * 0.8, y: height / 2 } })
    await sounds(visitor)
    const { at, of } = (await running(visitor))[0]!
    expect(Math.abs(of - 255)).toBeLessThan(2)
    expect(at / of).toBeGreaterThan(0.75)
    expect(at / of).toBeLessThan(0.88)

    await player.getByRole('button', { name: 'Pause', exact: true }).click()
    await comesTo(() => running(visitor), [])
    await play(visitor, 'Be still')
    await comesTo(() => player.count(), 0)
    await row(visitor, title)
      .getByRole('button', { name: `Play ${title}` })
      .click()
    await comesTo(() => runningRecordings(visitor), [audioUrl])
    await row(visitor, 'Be still').getByRole('button', { name: 'Play Be still' }).waitFor()

    const download = visitor.waitForEvent('download')
    await player.getByRole('button', { name: 'Download Audio' }).click()
    const file = await download
    expect(file.suggestedFilename()).toBe('Tūmanako_for_tomorrow_José_Núñez_20261122.mp3')
    const downloaded = await readFile(await file.path())
    expect(soundOf(downloaded).equals(soundOf(recording.buffer))).toBe(true)

    // A shared link plays from its position, on request.
    await visitor.goto(`${site.url}${teachingPath((await site.list())[0]!)}?at=30`)
    await visitor.getByText('The link you followed begins at 0:30.').waitFor()
    expect(await running(visitor)).toEqual([])
    await visitor.getByRole('button', { name: 'Play from 0:30' }).click()
    await sounds(visitor)
    expect((await running(visitor))[0]!.at).toBeGreaterThanOrEqual(30)

    // The browser decodes an M4A, to check how it sounds.
    await pickFile(page, m4a('2026-11-29_Jane-Doe"Decoded".m4a'))
    const answers = [copyTexts.soundsFine, ...Object.values(copyTexts.faults)]
    await comesTo(async () => {
      const shown = await panel.innerText()
      return answers.some((words) => shown.includes(words))
    }, true)
  })

  const dropped = [
    { kind: 'M4A', file: m4a('2026-11-22_Jane-Doe"Dropped"_Psalm_46_1-11.m4a'), seconds: 6 },
    { kind: 'WAV', file: wav('2026-11-22_Jane-Doe"Dropped"_Psalm_46_1-11.wav'), seconds: 3 },
    { kind: 'MP3', file: mp3('2026-11-22_Jane-Doe"Dropped"_Psalm_46_1-11.mp3'), seconds: 6 },
  ]
  nightly.each(dropped)('a dropped $kind uploads and plays', async ({ file, seconds }) => {
    const page = await site.visit('/teaching', { as: member })
    await dropFile(page, await onDisk(file))
    await parsed(page)
    await uploadPanel(page).getByText(startOf(file.name)).waitFor()
    await send(page)
    await banner(page).waitFor()
    await play(page, 'Dropped')
    const { of } = (await running(page))[0]!
    expect(Math.abs(of - seconds)).toBeLessThan(0.2)
  })
})

nightly('the panel has its place before late styles', async () => {
  await site.add(mp3('b.mp3'), { title: 'Be still', speaker: 'Jane Doe', date: '2026-11-15' })
  const page = await site.visit('/about', { as: member, firstVisit: true })
  const release = await hold(page, /background-[^/]*\.css$/)
  await page.goto(`${site.url}/teaching`)
  await openUpload(page)
  const panel = (await uploadPanel(page).boundingBox())!
  const list = (await row(page, 'Be still').boundingBox())!
  expect(panel.x).toBeGreaterThan(list.x + list.width)
  release()
})

nightly('shows the banner and toast for 60 seconds', async () => {
  const page = await site.visit('/about', { as: member })
  await page.clock.install()
  await page.goto(`${site.url}/teaching`)
  await pickFile(page, mp3('2026-11-22_Jane-Doe"Seen for a minute".mp3'))
  await parsed(page)
  await send(page)
  await banner(page).waitFor()
  await seeToast(page, 'File upload successful', 'Seen for a minute')
  await page.clock.pauseAt(await page.evaluate(() => Date.now() + 5_000))
  await page.clock.fastForward(45_000)
  await banner(page).waitFor()
  await seeToast(page, 'File upload successful', 'Seen for a minute')
  await page.clock.fastForward(10_000)
  await banner(page).waitFor({ state: 'hidden' })
  await page.getByText('File upload successful').waitFor({ state: 'hidden' })
  await comesTo(() => titles(page), ['Seen for a minute'])
})

nightly('holds a wake lock while uploading', async () => {
  const page = await site.visit('/about', { as: member, permissions: ['screen-wake-lock'] })
  await page.addInitScript(() => {
    const noted: string[] = []
    const locks: WakeLockSentinel[] = []
    const { wakeLock } = navigator
    const request = wakeLock.request.bind(wakeLock)
    wakeLock.request = async (type) => {
      const lock = await request(type)
      lock.addEventListener('release', () => noted.push('released'))
      noted.push('held')
      locks.push(lock)
      return lock
    }
    Object.assign(window, { noted, locks })
  })
  await page.goto(`${site.url}/teaching`)
  const noted = () => page.evaluate(() => (window as unknown as { noted: string[] }).noted)
  await openUpload(page)
  expect(await noted()).toEqual([])
  await throttleUploads(page, 150_000)
  await uploadRecording(page, mp3('2026-11-22_Jane-Doe"Awake".mp3', { bytes: 4_000_000, isShort: true }))
  await partlyUploaded(page)
  await comesTo(noted, ['held'])
  // Hidden pages lose the wake lock, as browsers release it.
  await page.evaluate(async () => {
    Object.defineProperty(document, 'visibilityState', { configurable: true, value: 'hidden' })
    await (window as unknown as { locks: WakeLockSentinel[] }).locks.at(-1)!.release()
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await comesTo(noted, ['held', 'released'])
  await page.evaluate(() => {
    Reflect.deleteProperty(document, 'visibilityState')
    document.dispatchEvent(new Event('visibilitychange'))
  })
  await comesTo(noted, ['held', 'released', 'held'])
  await throttleUploads(page, -1)
  await seeToast(page, 'File upload successful', 'Awake')
  await comesTo(noted, ['held', 'released', 'held', 'released'])
})
