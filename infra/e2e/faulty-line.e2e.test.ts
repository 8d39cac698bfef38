import { spawnSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { audit, auditLimits } from '@fellowship/schema/audit/audit.contract'
import { seededRandom } from '@fellowship/sync/testing/random'
import { call } from '@fellowship/sync/call/call'
import { openBrowser, type TestBrowser } from './support/browser.ts'
import { lineFaults, serveFaultyLine, type FaultyLine, type LineFault } from './support/faulty-line.ts'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { addSessionCookie, member, register, type Person, type TestSession } from './support/people.ts'
import { mp3, type RecordingFile } from './support/recordings.ts'
import { row, uploadPanel } from './support/screens.ts'
import { hasBytes, uploadRecording } from './support/upload-steps.ts'

/** In the soak. Uploads and edits of each person; `LINE_CHANGES=25` makes 50 of each, with ten kills of the browser and five of the server. */
const changes = Number(process.env['LINE_CHANGES'] ?? 2)
const kills = { browser: Math.ceil(changes / 2.5), server: Math.ceil(changes / 5) }
const portalMs = changes > 10 ? 60_000 : 5_000
vi.setConfig({ testTimeout: 120_000 + changes * 120_000, hookTimeout: 120_000 })

const site = journey()
const other: Person = {
  name: 'Oscar Other',
  email: 'other@example.org',
  password: 'one-more-password-for-tests',
}
const people = [member, other] as const
const random = seededRandom(Number(process.env['LINE_SEED'] ?? 1))

let line: FaultyLine
let profile: string
let browser: TestBrowser
const sessions = new Map<Person, TestSession>()
const uncaught: string[] = []

beforeAll(async () => {
  line = await serveFaultyLine(site.url)
  profile = await mkdtemp(path.join(tmpdir(), 'faulty-line-'))
  browser = await openBrowser({ profile, windowless: true })
  await register(site.url, other)
  sessions.set(member, await site.session(member))
  sessions.set(other, await site.session(other))
})
afterAll(async () => {
  await browser?.close()
  await line?.stop()
  await rm(profile, { recursive: true, force: true, maxRetries: 5 })
})

/** The browser's one session becomes this person's; pages that are open learn of it later. */
async function openAs(person: Person): Promise<Page> {
  await addSessionCookie({ ...sessions.get(person)!, base: line.url }, browser.context)
  // The tab of the other person stays open, earlier ones do not.
  for (const earlier of browser.context.pages().slice(0, -1)) await earlier.close()
  const page = await browser.context.newPage()
  page.on('pageerror', ({ message }) => uncaught.push(message))
  await page.goto(`${line.url}/teaching`)
  return page
}

/** Requests of pending entries; one in three meets a fault. */
const queued = /^\/api\/(sync$|teachings\/|uploads|csrf-token)/
const sometimes = (_method: string, address: string): LineFault => {
  if (!queued.test(address) || !random.chance(1 / 3)) return 'none'
  // Silence takes half a minute each time.
  return random.chance(0.95) ? random.pick(lineFaults.slice(0, -1)) : 'silence'
}
const always =
  (fault: LineFault) =>
  (_method: string, address: string): LineFault =>
    address.startsWith('/api/') ? fault : 'none'

/** Without any event of the page; the unique profile folder identifies the processes. */
async function killBrowser(): Promise<void> {
  spawnSync('pkill', ['-9', '-f', profile])
  await expect.poll(() => browser.context.browser()?.isConnected() ?? false).toBe(false)
  browser = await openBrowser({ profile, windowless: true })
}

async function killServer(): Promise<void> {
  await site.product.kill()
  await site.startAgain()
}

async function edit(page: Page, from: string, to: string): Promise<void> {
  const search = page.getByPlaceholder('Search teaching by title, speaker, or topic...')
  await search.fill(from)
  await row(page, from)
    .getByRole('button', { name: `Edit ${from}` })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
  await dialog.getByLabel('Title').fill(to)
  await dialog.getByRole('button', { name: 'Update' }).click()
  await dialog.waitFor({ state: 'hidden' })
  await search.fill('')
}

async function upload(page: Page, title: string, day: number): Promise<RecordingFile> {
  const date = new Date(Date.UTC(2026, 0, day)).toISOString().slice(0, 10)
  const recording = mp3(`${date}_John-Smith"${title}".mp3`, { bytes: 300_000 })
  await uploadRecording(page, recording)
  // Copied, so that the page may be closed: it waits, is being sent, or is in the library.
  await uploadPanel(page)
    .getByRole('listitem')
    .filter({ has: page.getByText(title, { exact: true }) })
    .getByText(/^(Waiting|\d+ %|Checking|In the library)/)
    .first()
    .waitFor()
  return recording
}

/** Of equal length, so that no title is found by another one's beginning. */
const titleOf = (person: Person, what: string, at: number) =>
  `${person.name.split(' ')[0]} ${what} ${String(at).padStart(2, '0')}`

/** The content of the pages, for a failure message. */
async function describePages(): Promise<void> {
  for (const page of browser.context.pages())
    console.log(page.url(), await page.locator('body').ariaSnapshot({ timeout: 2_000 }).catch(String))
}
afterEach(async ({ task }) => {
  if (task.result?.state === 'fail') await describePages()
})

test('two people upload and edit over a faulty line: all arrives once', async () => {
  for (const person of people)
    for (let at = 0; at < changes; at += 1)
      await site.add(mp3('a.mp3'), {
        title: titleOf(person, 'first', at),
        speaker: 'Jane Doe',
        date: '2025-11-15',
      })
  // The app itself is installed before the line becomes bad.
  const first = await openAs(member)
  await synced(first)
  await first.close()
  line.faultOf = sometimes

  const sent = new Map<string, RecordingFile>()
  let left = { ...kills }
  for (let at = 0; at < changes; at += 1) {
    for (const person of people) {
      const page = await openAs(person)
      // Until then it is the page of whoever was here before, whose dialogs close as the person changes.
      await page.getByRole('banner').getByRole('button', { name: person.name }).waitFor()
      await edit(page, titleOf(person, 'first', at), titleOf(person, 'edited', at))
      const title = titleOf(person, 'sent', at)
      sent.set(title, await upload(page, title, at * people.length + people.indexOf(person) + 1))
      if (left.browser > 0 && random.chance(0.5)) {
        left = { ...left, browser: left.browser - 1 }
        await killBrowser()
      }
    }
    if (left.server > 0) {
      left = { ...left, server: left.server - 1 }
      await killServer()
    }
  }
  // A motel's network takes the place of the server for a while.
  line.faultOf = always('foreign page')
  const portal = await openAs(member)
  await portal.waitForTimeout(portalMs)
  await portal.close()
  line.faultOf = () => 'none'

  const wanted = people.flatMap((person) =>
    ['edited', 'sent'].flatMap((what) =>
      Array.from({ length: changes }, (_, at) => titleOf(person, what, at)),
    ),
  )
  for (const person of people) {
    const page = await openAs(person)
    // As signing in tells the other tabs; until now they knew nothing of a change.
    await page.evaluate(() => new BroadcastChannel('signed-in').postMessage('changed'))
    const own = wanted.filter((title) => title.startsWith(person.name.split(' ')[0]!))
    await expect
      .poll(
        async () => {
          // As a person who looks at the page again: no backoff is waited for.
          await page.evaluate(() => void dispatchEvent(new Event('online')))
          const there = (await site.list()).map(({ title }) => title)
          return own.filter((title) => !there.includes(title))
        },
        { timeout: 80_000 + changes * 5_000, interval: 2_000 },
      )
      .toEqual([])
  }

  const list = await site.list()
  expect(list.map(({ title }) => title).toSorted()).toEqual(wanted.toSorted())
  for (const [title, recording] of sent)
    await hasBytes(
      site.url,
      list.find((teaching) => teaching.title === title)!,
      recording,
    )
  await expectOwnNames(wanted)
  expect(uncaught).toEqual([])
  console.info(`faults met: ${[...line.met].map(([fault, count]) => `${fault} ${count}`).join(', ')}`)
})

/** The audit log names the person whose change it was, once for each. */
async function expectOwnNames(wanted: readonly string[]): Promise<void> {
  const lines = []
  for (let before: number | undefined; ;) {
    const page = await call(
      audit.list,
      { query: { area: 'teaching', before, limit: auditLimits.page } },
      await site.session(),
    )
    lines.push(...page.lines)
    if (!page.more) break
    before = page.lines.at(-1)!.id
  }
  const own = lines.filter(({ subject }) => wanted.includes(subject ?? ''))
  expect(own.map(({ actor, subject }) => `${actor.split(' ')[0]}: ${subject}`).toSorted()).toEqual(
    wanted.map((title) => `${title.split(' ')[0]}: ${title}`).toSorted(),
  )
}
