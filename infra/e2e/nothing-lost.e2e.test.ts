import { auth } from '@fellowship/schema/auth/auth.contract'
import { call } from '@fellowship/sync/call/call'
import type { CDPSession, Locator, Page } from 'playwright-core'
import { beforeEach, describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { administrator, member, sessionOf, type Person } from './support/people.ts'
import { mp3, type RecordingFile } from './support/recordings.ts'
import { comesTo, row, seeToast, signIn, titles, toast, uploadPanel, whenStarted } from './support/screens.ts'
import {
  uploadRecording,
  hasBytes,
  partlyUploaded,
  offlineErrors,
  throttleUploads,
} from './support/upload-steps.ts'
import { nightly } from './support/in-soak.ts'

const site = journey()
beforeEach(() => site.empty())

const hope = { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-15', scriptureReference: '' }
const addHope = () => site.add(mp3('a.mp3'), hope)
const known = async () => (await site.list()).map(({ title, speaker }) => `${title}, ${speaker}`).sort()

/** Edits fields of a teaching in its dialog. */
async function edit(page: Page, title: string, changes: Record<string, string>): Promise<void> {
  await row(page, title)
    .getByRole('button', { name: `Edit ${title}` })
    .click()
  const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
  for (const [label, value] of Object.entries(changes)) await dialog.getByLabel(label).fill(value)
  await dialog.getByRole('button', { name: 'Update' }).click()
  await dialog.waitFor({ state: 'hidden' })
}

/** Nothing of a page runs any more, though it holds the leader lock. Not inside a transaction: browsers let a page end that first. */
async function freeze(system: CDPSession, beside: Page): Promise<void> {
  await system.send('Debugger.enable')
  const tried = async () => {
    await system.send('Debugger.pause')
    const isFree = await canWrite(beside)
    if (!isFree) await system.send('Debugger.resume')
    return isFree
  }
  await comesTo(tried, true)
}

/** Whether no other page is inside a transaction that keeps this one from writing. */
const canWrite = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const ended = (target: EventTarget, event: string) =>
      new Promise<void>((resolve) => target.addEventListener(event, () => resolve()))
    const written = async ({ name }: IDBDatabaseInfo) => {
      const opening = indexedDB.open(name!)
      await ended(opening, 'success')
      const stores = [...opening.result.objectStoreNames]
      if (stores.length > 0) await ended(opening.result.transaction(stores, 'readwrite'), 'complete')
      opening.result.close()
    }
    const all = Promise.all((await indexedDB.databases()).map(written)).then(() => true)
    return Promise.race([all, new Promise<boolean>((resolve) => setTimeout(resolve, 3000, false))])
  })

/** Postpones the next attempt of the outbox entry by 50 minutes, as a server may ask for; true once it is stored. */
const putOff = (page: Page): Promise<boolean> =>
  page.evaluate(async () => {
    const asked = <Result>(request: IDBRequest<Result>) =>
      new Promise<Result>((resolve, reject) => {
        request.addEventListener('success', () => resolve(request.result))
        request.addEventListener('error', () => reject(request.error!))
      })
    const db = await asked(indexedDB.open('app'))
    const outbox = () => db.transaction('outbox', 'readwrite').objectStore('outbox')
    const all = (await asked(outbox().getAll())) as {
      state: string
      nextAttemptAt: number
      notBefore?: number
    }[]
    const waiting = all[0]
    const now = Date.now()
    const noted = window as { lookedAt?: number }
    if (waiting?.state === 'queued' && (waiting.notBefore ?? 0) < now + 30 * 60_000) {
      // Written directly to IndexedDB; the page still has its earlier timer.
      noted.lookedAt = Math.max(now, waiting.nextAttemptAt) + 500
      await asked(outbox().put({ ...waiting, notBefore: now + 50 * 60_000 }))
    }
    db.close()
    return waiting?.state === 'queued' && noted.lookedAt !== undefined && now > noted.lookedAt
  })

async function openLibrary(as: Person = member, allow: readonly RegExp[] = offlineErrors): Promise<Page> {
  const page = await site.visit('/teaching', { as, allow })
  await synced(page)
  return page
}

const attention = (page: Page): Locator =>
  page.getByRole('status').filter({ has: page.getByText('Needs your attention (1)', { exact: true }) })

describe('offline', () => {
  test('an offline edit and upload are queued and sent later', async () => {
    await addHope()
    const page = await openLibrary()
    await row(page, 'Hope').waitFor()
    await page.context().setOffline(true)
    await edit(page, 'Hope', { Title: 'A living hope' })
    await seeToast(page, 'Saved on this device, will be sent')
    await row(page, 'A living hope').getByText('Changed on this device, not sent yet').waitFor()
    const search = page.getByPlaceholder('Search teaching by title, speaker, or topic...')
    await search.fill('living')
    await comesTo(() => titles(page), ['A living hope'])
    await search.fill('')

    const recording = mp3('2026-11-22_John-Smith"Given without a line".mp3', { bytes: 1_500_000 })
    await uploadRecording(page, recording)
    await uploadPanel(page).getByText('Waiting for a connection').waitFor()
    await uploadPanel(page)
      .getByText(/^You can close this page/)
      .waitFor()
    expect(await known()).toEqual(['Hope, Jane Doe'])

    // After a restart, still offline, both are there.
    await page.reload()
    await row(page, 'A living hope').getByText('Changed on this device, not sent yet').waitFor()
    await uploadPanel(page).getByText('Given without a line', { exact: true }).waitFor()

    await page.context().setOffline(false)
    await comesTo(known, ['A living hope, Jane Doe', 'Given without a line, John Smith'])
    await comesTo(() => titles(page), ['Given without a line', 'A living hope'])
    await page.getByText('Changed on this device, not sent yet').waitFor({ state: 'detached' })
    await hasBytes(
      site.url,
      (await site.list()).find(({ date }) => date === '2026-11-22')!,
      recording,
    )
  })

  nightly.each([
    ['the sending tab', (page: Page) => Promise.resolve(page)],
    ['another tab', (page: Page) => site.visitBeside(page, '/teaching')],
  ])('Sync in %s sends the outbox at once', async (_, openTab) => {
    await addHope()
    const page = await openLibrary()
    const pressed = await openTab(page)
    await synced(pressed)
    await page.route('**/api/teachings/*', (route) => route.abort('internetdisconnected'))
    await edit(page, 'Hope', { Title: 'A living hope' })
    await seeToast(page, 'Saved on this device, will be sent')
    await comesTo(() => putOff(page), true)
    await page.unroute('**/api/teachings/*')
    await pressed.getByRole('button', { name: 'Sync', exact: true }).click()
    await seeToast(pressed, 'Cache Synchronized')
    expect(await known()).toEqual(['A living hope, Jane Doe'])
    await page.getByText('Changed on this device, not sent yet').waitFor({ state: 'detached' })
  })

  nightly('an offline deletion is queued and sent later', async () => {
    await addHope()
    const page = await openLibrary()
    await page.context().setOffline(true)
    await row(page, 'Hope').getByRole('button', { name: 'Delete Hope' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
    await page.getByText('No teaching available.').waitFor()
    expect(await known()).toEqual(['Hope, Jane Doe'])
    await page.context().setOffline(false)
    await seeToast(page, 'Teaching Deleted')
    expect(await known()).toEqual([])
  })
})

nightly('an upload resumes after the session expired', async () => {
  // On a busy machine bytes of a request that was given up arrive after the offset was asked for: then it is answered 409.
  const page = await site.visit('/api/login?return=/teaching', {
    allow: [/^40[19] \/api\/uploads/, /^net::ERR_ABORTED/],
  })
  await signIn(page, member)
  await page.waitForURL(`${site.url}/teaching`)
  const recording = mp3('2026-11-22_John-Smith"Signed in twice".mp3', { bytes: 5_000_000, isShort: true })
  await throttleUploads(page, 500_000)
  await uploadRecording(page, recording)
  await partlyUploaded(page)
  // The toast is short: start waiting before the session ends.
  const told = seeToast(page, 'Unauthorized', 'You are logged out. Logging in again...')
  await Promise.all([
    told,
    sessionOf(page.context(), site.url).then((session) => call(auth.logout, {}, session)),
  ])
  await page.waitForURL(`${site.url}/?signin&return=%2Fteaching`)
  await throttleUploads(page, -1)
  await signIn(page, member)
  await seeToast(page, 'File upload successful', 'Signed in twice')
  const [teaching, ...others] = await site.list()
  expect(others).toEqual([])
  await hasBytes(site.url, teaching!, recording)
})

nightly('another tab takes over a closed tab’s upload', async () => {
  const page = await openLibrary()
  const recording = mp3('2026-11-22_John-Smith"Two tabs".mp3', { bytes: 6_000_000, isShort: true })
  // Bytes of the closed tab can arrive after the other tab has asked for the offset: then it is answered 409.
  const other = await site.visitBeside(page, '/teaching', [...offlineErrors, /^409 \/api\/uploads\//])
  await synced(other)
  await throttleUploads(page, 500_000)
  await uploadRecording(page, recording)
  await partlyUploaded(other)
  await page.close()
  await seeToast(other, 'File upload successful', 'Two tabs')
  const [teaching, ...others] = await site.list()
  expect(others).toEqual([])
  await hasBytes(site.url, teaching!, recording)
})

nightly('another tab replaces a frozen one within a minute', async () => {
  await addHope()
  const frozen = await openLibrary()
  const page = await site.visitBeside(frozen, '/teaching')
  await synced(page)
  const system = await frozen.context().newCDPSession(frozen)
  await freeze(system, page)
  await edit(page, 'Hope', { Title: 'A living hope' })
  await expect.poll(known, { timeout: 100_000 }).toEqual(['A living hope, Jane Doe'])
  await system.send('Debugger.resume')
})

nightly('edits of the same field end in a conflict dialog', async () => {
  const { id } = await addHope()
  const mine = await openLibrary(member, [...offlineErrors, new RegExp(`^409 /api/teachings/${id}`)])
  const theirs = await openLibrary(administrator)
  await row(mine, 'Hope').waitFor()
  await mine.context().setOffline(true)
  await edit(mine, 'Hope', { Speaker: 'Mine', 'Scripture Reference': 'Romans 8:1' })
  await seeToast(mine, 'Saved on this device, will be sent')
  await edit(theirs, 'Hope', { Speaker: 'Theirs', Title: 'A living hope' })
  await seeToast(theirs, 'Teaching updated successfully')

  await mine.context().setOffline(false)
  await attention(mine).getByRole('button', { name: 'Review' }).click()
  const dialog = mine.getByRole('dialog', { name: 'Needs your attention (1)' })
  const save = dialog.getByRole('button', { name: 'Save' })
  await comesTo(() => save.isDisabled(), true)
  expect(await dialog.getByRole('radio', { checked: true }).count()).toBe(0)
  expect(await known()).toEqual(['A living hope, Theirs'])
  await dialog.getByRole('radio', { name: 'Mine: Mine' }).check()
  await dialog.getByRole('radio', { name: 'Mine: Romans 8:1' }).check()
  await save.click()
  await seeToast(mine, 'Teaching updated successfully')
  expect(await site.list()).toMatchObject([
    { title: 'A living hope', speaker: 'Mine', scriptureReference: 'Romans 8:1' },
  ])
  await comesTo(() => attention(mine).count(), 0)
})

nightly('signing out asks about the outbox and isolates users', async () => {
  const { id } = await addHope()
  // A change made elsewhere meanwhile is merged.
  const page = await openLibrary(member, [...offlineErrors, new RegExp(`^409 /api/teachings/${id}`)])
  await page.route('**/api/teachings/*', (route) => route.abort())
  await edit(page, 'Hope', { Title: 'A living hope' })
  await seeToast(page, 'Saved on this device, will be sent')
  await signOut(page, member)
  const dialog = page.getByRole('dialog', { name: 'Before you sign out' })
  await dialog.getByText(/waits 1 change of yours/).waitFor()
  // The session has ended unnoticed and the connection returns: nothing may be sent without a session.
  await page.route('**/api/auth/logout', async (route) => {
    const response = await route.fetch()
    await page.unroute('**/api/teachings/*')
    await page.evaluate(() => void dispatchEvent(new Event('online')))
    await comesTo(() => nextAttempts(page), [0])
    await route.fulfill({ response })
  })
  await dialog.getByRole('button', { name: 'Keep on this device' }).click()
  await seeToast(page, 'Logout successful')
  await page.unroute('**/api/auth/logout')

  await page.goto(`${site.url}/api/login?return=/teaching`)
  await signIn(page, administrator)
  await row(page, 'Hope').getByRole('button', { name: 'Edit Hope' }).waitFor()
  await edit(page, 'Hope', { Speaker: 'John Smith' })
  await seeToast(page, 'Teaching updated successfully')
  expect(await known()).toEqual(['Hope, John Smith'])
  await signOut(page, administrator)
  await seeToast(page, 'Logout successful')

  await page.goto(`${site.url}/api/login?return=/teaching`)
  await signIn(page, member)
  await comesTo(known, ['A living hope, John Smith'])
})

nightly('queues changes in memory without IndexedDB and sends them', async () => {
  await addHope()
  const page = await site.visit('/about', { as: administrator })
  // As in some private windows and broken profiles.
  await page.addInitScript(() => {
    IDBFactory.prototype.open = () => {
      throw new DOMException('A mutation operation was attempted on a database.', 'InvalidStateError')
    }
  })
  await page.goto(`${site.url}/teaching`)
  await row(page, 'Hope').waitFor()
  await page.getByText('This browser blocks storage for this site.', { exact: true }).waitFor()
  const recording = mp3('2026-11-22_John-Smith"Sent at once".mp3', { bytes: 1_500_000 })
  await uploadRecording(page, recording)
  await seeToast(page, 'File upload successful', 'Sent at once')
  await comesTo(() => titles(page), ['Sent at once', 'Hope'])
  await hasBytes(
    site.url,
    (await site.list()).find(({ title }) => title === 'Sent at once')!,
    recording,
  )

  await edit(page, 'Hope', { Title: 'A living hope' })
  await seeToast(page, 'Teaching updated successfully')
  await comesTo(() => titles(page), ['Sent at once', 'A living hope'])
  await row(page, 'A living hope').getByRole('button', { name: 'Delete A living hope' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete', exact: true }).click()
  await seeToast(page, 'Teaching Deleted')
  await comesTo(() => titles(page), ['Sent at once'])
  expect(await known()).toEqual(['Sent at once, John Smith'])
})

nightly('a recording shared offline waits for review', async () => {
  const page = await site.visit('/teaching', { allow: offlineErrors })
  await synced(page)
  await page.context().setOffline(true)
  const recording = mp3('2026-11-22_John-Smith"Shared".mp3', { bytes: 1_200_000 })
  await share(page, recording)
  await page.getByText('Sign in to send the recording that waits here', { exact: true }).waitFor()
  await page.context().setOffline(false)
  await page.goto(`${site.url}/api/login?return=/teaching`)
  await signIn(page, member)
  const panel = uploadPanel(page)
  await panel.getByText('Shared from another app. Check the details, then send it.').waitFor()
  await comesTo(() => panel.getByLabel('Title').inputValue(), 'Shared')
  expect(await site.list()).toEqual([])
  await panel.getByLabel('Speaker').fill('')
  await panel.getByRole('button', { name: 'Send it' }).click()
  await seeToast(page, 'Missing Speaker')
  await panel.getByLabel('Speaker').fill('Jane Doe')
  await panel.getByRole('button', { name: 'Send it' }).click()
  await seeToast(page, 'File upload successful', 'Shared')
  const [teaching] = await site.list()
  expect(teaching).toMatchObject({ title: 'Shared', speaker: 'Jane Doe' })
  await hasBytes(site.url, teaching!, recording)

  // A file that is not audio is refused.
  await share(page, { name: 'notes.pdf', mimeType: 'application/pdf', buffer: Buffer.from('%PDF-1.7') })
  await seeToast(page, 'Invalid File Type', 'Please select an audio file')
  await comesTo(() => page.url(), `${site.url}/teaching?focus=upload`)
  await page.reload()
  await whenStarted(page)
  expect(await toast(page, 'Invalid File Type').count()).toBe(0)
})

/** The next attempt of each outbox entry, epoch milliseconds; 0 is now. */
const nextAttempts = (page: Page) =>
  page.evaluate(async () => {
    const answered = <T>(request: IDBRequest<T>) =>
      new Promise<T>((resolve, reject) => {
        request.onsuccess = () => resolve(request.result)
        request.onerror = () => reject(new Error('not read'))
      })
    const database = await answered(indexedDB.open('app'))
    const entries = await answered(database.transaction('outbox').objectStore('outbox').getAll())
    database.close()
    return (entries as { nextAttemptAt: number }[]).map(({ nextAttemptAt }) => nextAttemptAt)
  })

async function signOut(page: Page, { name }: Person): Promise<void> {
  await page.getByRole('button', { name }).click()
  await page.getByRole('button', { name: 'Sign Out' }).click()
}

/** Posts a file to the share target, as the system does for an installed app. */
async function share(page: Page, { name, mimeType, buffer }: RecordingFile): Promise<void> {
  await page.evaluate(
    ([filename, type, text]) => {
      const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0))
      const files = new DataTransfer()
      files.items.add(new File([bytes], filename, { type }))
      const form = document.createElement('form')
      Object.assign(form, { method: 'post', enctype: 'multipart/form-data', action: '/share' })
      const input = document.createElement('input')
      Object.assign(input, { type: 'file', name: 'audioFile', files: files.files })
      form.append(input)
      document.body.append(form)
      form.submit()
    },
    [name, mimeType, buffer.toString('base64')] as const,
  )
  await page.waitForURL(/\/teaching\?/)
}
