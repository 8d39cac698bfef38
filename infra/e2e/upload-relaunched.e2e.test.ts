import { spawnSync } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openBrowser, type TestBrowser } from './support/browser.ts'
import { journey } from './support/journey.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, seeToast, signIn } from './support/screens.ts'
import { uploadRecording, hasBytes, partlyUploaded, throttleUploads } from './support/upload-steps.ts'

// Twelve megabytes over a throttled connection, and two browser starts.
vi.setConfig({ testTimeout: 240_000 })
const site = journey()
let profile: string
let browser: TestBrowser | undefined

beforeAll(async () => {
  profile = await mkdtemp(path.join(tmpdir(), 'relaunched-'))
})
afterAll(async () => {
  await browser?.close()
  await rm(profile, { recursive: true, force: true, maxRetries: 5 })
})

async function launch() {
  browser = await openBrowser({ profile, windowless: true })
  return browser.context.newPage()
}

test('an upload completes once after the browser was killed', async () => {
  const recording = mp3('2026-11-22_John-Smith"Hope in Christ"_Romans_8_28-39.mp3', {
    bytes: 12_000_000,
    isShort: true,
  })
  const file = path.join(profile, recording.name)
  await writeFile(file, recording.buffer)
  const page = await launch()
  await page.goto(`${site.url}/api/login?return=/teaching`)
  await signIn(page, member)
  await page.waitForURL(`${site.url}/teaching`)
  await throttleUploads(page, 2_000_000)
  await uploadRecording(page, file)
  await partlyUploaded(page)
  // Chromium persists cookies only every half minute, so the session is restored by hand.
  const session = await page.context().cookies()
  // A kill without any page event; the unique profile folder identifies the processes.
  spawnSync('pkill', ['-9', '-f', profile])
  // The queue has its own copy of the picked file.
  await rm(file)
  expect(await site.list()).toEqual([])
  expect(await readdir(path.join(site.product.dataDir, 'uploads'))).not.toEqual([])

  const again = await launch()
  await again.context().addCookies(session)
  await again.goto(`${site.url}/teaching`)
  await seeToast(again, 'File upload successful', 'Hope in Christ')
  const [teaching, ...others] = await site.list()
  expect(others).toEqual([])
  expect(teaching).toMatchObject({ title: 'Hope in Christ', speaker: 'John Smith', date: '2026-11-22' })
  await hasBytes(site.url, teaching!, recording)
  await comesTo(() => readdir(path.join(site.product.dataDir, 'uploads')), [])
})
