import { wavHead } from '@fellowship/api/testing/long-wav'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { textOf } from '@fellowship/schema/teachings/teaching-words'
import { call } from '@fellowship/sync/call/call'
import type { Random } from '@fellowship/sync/testing/random'
import type { BrowserContext, Page } from 'playwright-core'
import type { Journey } from '../support/journey.ts'
import { evict } from '../support/offline-steps.ts'
import { addSessionCookie, administrator, member, signInByCall, type Person } from '../support/people.ts'
import { mp3, type RecordingFile } from '../support/recordings.ts'
import { goWithin, openUpload, row, uploadPanel } from '../support/screens.ts'
import { choose } from '../support/up-next-steps.ts'
import { uploadRecording } from '../support/upload-steps.ts'

/** A device of two people, and the faults around it. */
export interface Device {
  readonly site: Journey
  readonly random: Random
  readonly context: BrowserContext
  page: Page
  person: Person | undefined
  /** Whether it has a connection. */
  isOnline: boolean
  /** Failures of the server, by the name of the step that began them. */
  readonly failing: Set<string>
  /** Titles of uploads that sound wrong. */
  readonly faulty: string[]
  made: number
}

/** Each is something that a person does, or that happens around the device. */
export const steps: Record<string, (device: Device) => Promise<void>> = {
  async 'save a recording'({ page, random }) {
    await library(page)
    const buttons = page.getByRole('button', { name: /^(Save offline|Removed by your device|Try to save)/ })
    await buttons.nth(random.int(await buttons.count())).click(soon)
  },
  async 'remove all that is saved'({ page }) {
    await library(page)
    await page
      .getByRole('button', { name: /Manage saved teaching$/ })
      .first()
      .click(soon)
    const sheet = page.getByRole('dialog', { name: 'Saved teaching' })
    await sheet
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click(soon)
    await page.getByRole('button', { name: 'Remove', exact: true }).click(soon)
    await page.getByRole('button', { name: 'Done' }).click(soon)
  },
  async 'keep the newest, small'({ page }) {
    await page.evaluate(() => localStorage.setItem('comfort', JSON.stringify({ recordings: 'small' })))
    await page.reload()
    await library(page)
    await page
      .getByRole('button', { name: /Manage saved teaching$/ })
      .first()
      .click(soon)
    await page.getByRole('switch', { name: /^Always keep the newest/ }).click(soon)
    await page.getByRole('button', { name: 'Done' }).click(soon)
  },
  async 'lose chunks'({ page, site, random }) {
    await evict(page, random.pick(await site.list()))
    await page.reload()
  },
  async 'lose a database'({ page, random }) {
    const name = random.pick(['app', 'audio', 'uploads'])
    await page.evaluate((lost) => void indexedDB.deleteDatabase(lost), name)
  },
  async 'have no room for recordings'({ page }) {
    await page.evaluate(() => {
      // oxlint-disable-next-line typescript/unbound-method
      const put = IDBObjectStore.prototype.put
      IDBObjectStore.prototype.put = function (...call) {
        if (this.name === 'chunks') throw new DOMException('Full', 'QuotaExceededError')
        return put.apply(this, call)
      }
    })
  },
  async 'lose the connection'(device) {
    device.isOnline = false
    await device.context.setOffline(true)
  },
  'find the connection': findConnection,
  async 'find a server that fails at changes'(device) {
    await fail(device, 'changes', '**/api/teachings/**', (method) => method !== 'GET')
  },
  async 'find recordings that fail'(device) {
    await fail(device, 'recordings', '**/audio/*', () => true)
  },
  async 'find a server that fails at listening'(device) {
    await fail(device, 'listening', '**/api/listening**', () => true)
  },
  'find a server that answers': recover,
  async 'press Sync'({ page }) {
    await library(page)
    await page.getByRole('button', { name: 'Sync', exact: true }).click(soon)
  },
  async 'mark a favourite'({ page, random, site }) {
    await library(page)
    await choose(page, random.pick(await site.list()).title, 'Add to favourites')
  },
  async 'write a note, pressing twice'({ page, person, site, random }) {
    await library(page)
    const { title } = random.pick(await site.list())
    await row(page, title)
      .getByRole('button', { name: `Play ${title}` })
      .click(soon)
    await goWithin(page, '/')
    await page.getByRole('button', { name: /^Open the player: / }).click(soon)
    await page.getByRole('button', { name: 'Write a note' }).click(soon)
    await page
      .getByRole('textbox', { name: /^Note at/ })
      .fill(`Of ${person?.name.split(' ', 1)[0] ?? 'nobody'}`, soon)
    await page.getByRole('button', { name: 'Save note' }).dblclick(soon)
    await page.getByRole('button', { name: 'Stop and close the player' }).click(soon)
  },
  async 'keep listening with the account'({ page }) {
    await goWithin(page, '/listening')
    await page.getByRole('switch', { name: 'Keep my listening on all my devices' }).check(soon)
  },
  async 'look at My listening'({ page }) {
    await goWithin(page, '/listening')
  },
  async 'edit a teaching, saving late'(device) {
    const { page, site, random } = device
    await library(page)
    const teaching = random.pick(await site.list())
    await row(page, teaching.title)
      .getByRole('button', { name: `Edit ${teaching.title}` })
      .click(soon)
    const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
    await dialog.getByLabel('Description').fill(`Typed ${device.made++}`, soon)
    if (random.chance(0.5)) await changeElsewhere(device)
    await dialog.getByRole('button', { name: 'Update' }).click(soon)
  },
  'change a teaching elsewhere': changeElsewhere,
  async 'publish and delete elsewhere'(device) {
    const { site } = device
    const [first] = await site.list()
    await call(teachings.remove, { params: { id: first!.id } }, await site.session())
    // A new title each time, because rows are compared by title.
    await add(site, `Again ${device.made++}`)
  },
  async 'upload two recordings'(device) {
    const { page, random, faulty } = device
    await library(page)
    await openUpload(page)
    if (!(await uploadPanel(page).isVisible())) return
    for (const quiet of [random.chance(0.5), false]) {
      const title = `Upload ${device.made++}`
      if (quiet) faulty.push(title)
      const name = `2025-03-02_Jane-Doe"${title}"_John_1_16`
      await uploadRecording(page, quiet ? quietRecording(`${name}.wav`) : mp3(`${name}.mp3`))
    }
  },
  async 'sign in as the other person'(device) {
    const { site, context, page, person } = device
    if (!device.isOnline) return
    device.person = person === member ? administrator : member
    await context.clearCookies()
    // A session of its own: signing out ends it, and that of the calls goes on.
    await addSessionCookie(await signInByCall(site.url, device.person), context)
    await page.reload()
    // If the connection is lost before, the page keeps the earlier person.
    await page.getByRole('button', { name: device.person.name }).first().waitFor()
  },
  async 'sign out'(device) {
    const { page, person } = device
    if (!person || !device.isOnline) return
    await page.getByRole('button', { name: person.name }).first().click(soon)
    await page.getByRole('button', { name: 'Sign Out' }).click(soon)
    for (const name of ['Keep on this device', 'Let it stay, and sign out'])
      await page
        .getByRole('button', { name })
        .click({ timeout: 700 })
        .catch(() => undefined)
    await page.getByRole('button', { name: 'Sign In' }).first().waitFor(soon)
    device.person = undefined
  },
  async 'let the session end'(device) {
    if (!device.isOnline) return
    await device.context.clearCookies()
    device.person = undefined
    await device.page.reload()
    await device.page.getByRole('button', { name: 'Sign In' }).first().waitFor()
  },
  async reload({ page }) {
    await page.reload()
  },
  async 'go on in another tab'(device) {
    const { site, page } = device
    device.page = await site.visitBeside(page, '/teaching', [/./])
    await page.close()
  },
}

/** Ends each fault that can end. */
export async function settle(device: Device): Promise<void> {
  await findConnection(device)
  await recover(device)
}

async function findConnection(device: Device): Promise<void> {
  device.isOnline = true
  await device.context.setOffline(false)
}

async function recover({ context, failing }: Device): Promise<void> {
  failing.clear()
  await context.unrouteAll({ behavior: 'ignoreErrors' })
}

async function fail(
  { context, failing }: Device,
  name: string,
  address: string,
  isFailing: (method: string) => boolean,
): Promise<void> {
  failing.add(name)
  const body = JSON.stringify({ success: false, code: 'unavailable', error: 'The server is busy.' })
  await context.route(address, (route) =>
    isFailing(route.request().method())
      ? route.fulfill({ status: 503, contentType: 'application/json', body })
      : route.continue(),
  )
}

async function changeElsewhere({ site, random, made }: Device): Promise<void> {
  const { id, ...other } = random.pick(await site.list())
  const body = { ...textOf(other), description: `Elsewhere ${made}` }
  await call(teachings.update, { params: { id }, body }, await site.session())
}

export const add = (site: Journey, title: string) =>
  site.add(mp3(`${title}.mp3`), { title, speaker: 'Jane Doe', date: '2026-11-15' })

async function library(page: Page): Promise<void> {
  if (new URL(page.url()).pathname !== '/teaching') await goWithin(page, '/teaching')
  await page.getByRole('heading', { level: 3 }).first().waitFor(soon)
}

/** A very quiet WAV that begins with 35 seconds of silence. */
function quietRecording(name: string): RecordingFile {
  const samples = Buffer.alloc(38 * 88_200)
  for (let at = 35 * 88_200; at < samples.length; at += 2) samples.writeInt16LE(((at / 2) % 100) - 50, at)
  return { name, mimeType: 'audio/wav', buffer: Buffer.concat([wavHead(samples.length), samples]) }
}

/** What cannot be done now is left. */
const soon = { timeout: 2_000 }
