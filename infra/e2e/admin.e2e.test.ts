import { call } from '@fellowship/sync/call/call'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { users } from '@fellowship/schema/users/users.contract'
import type { Page } from 'playwright-core'
import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { addWeeklyEvent } from './support/event-steps.ts'
import { journey } from './support/journey.ts'
import { administrator, register, type Person } from './support/people.ts'
import { portrait } from './support/pictures.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, row, seeToast, signIn } from './support/screens.ts'
import { nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()
const refused = (path: RegExp) => new RegExp(`^4\\d\\d ${path.source}`)

const dialog = (page: Page, name: string) => page.getByRole('dialog', { name })
const names = (page: Page) => page.getByRole('main').getByRole('heading', { level: 3 }).allTextContents()

const namesOnServer = async () => (await call(elders.list, {}, await site.session())).map(({ name }) => name)

test('an administrator manages elders, restores and backs up', async () => {
  for (const [displayOrder, name] of ['Ben', 'Ana'].entries()) {
    const body = { name, displayOrder, role: 'Elder', shortBio: 'Short', extendedBio: 'Long' }
    await call(elders.create, { body }, await site.session())
  }
  const page = await site.visit('/admin', { as: administrator })
  await page.getByRole('tab', { name: 'Content Management' }).waitFor()
  await page.getByRole('button', { name: 'Add Elder' }).click()
  const form = dialog(page, 'Add Elder')
  await form.getByRole('button', { name: 'Create' }).click()
  await form.getByText('Enter a name.').waitFor()
  await form.getByText('Enter an extended bio.').waitFor()
  await form.getByLabel('Name').fill('Col')
  await comesTo(() => form.getByLabel('Role').inputValue(), 'Elder')
  await form.getByLabel('Short Bio').fill('Short')
  await form.getByLabel('Extended Bio').fill('Long')
  await form.getByLabel('Display Order').fill('what')
  const photo = form.getByLabel('Photo')
  await photo.setInputFiles({ name: 'a.gif', mimeType: 'image/gif', buffer: Buffer.from('GIF89a') })
  await seeToast(page, 'Invalid File Type', 'Please select a JPEG, PNG, or WebP image.')
  const large = { name: 'a.png', mimeType: 'image/png', buffer: Buffer.alloc(5 * 1024 * 1024) }
  await photo.setInputFiles(large)
  await seeToast(page, 'File Too Large', 'Please select an image smaller than 5MB.')
  await photo.setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer: await portrait() })
  await form.getByRole('img', { name: 'As it will be shown' }).waitFor()
  await form.getByRole('button', { name: 'Create' }).click()
  await seeToast(page, 'Photo Uploaded')
  await form.waitFor({ state: 'hidden' })
  // It was inserted at position 0, moving the others down.
  await comesTo(() => names(page), ['Col', 'Ben', 'Ana'])
  const handle = (name: string) => page.getByRole('button', { name: `Reorder ${name}` })
  await handle('Col').press('ArrowDown')
  await comesTo(() => names(page), ['Ben', 'Col', 'Ana'])
  await page.getByText('Col is now number 2 of 3.').waitFor()
  await handle('Ana').hover()
  await page.mouse.down()
  const target = (await handle('Ben').boundingBox())!
  await page.mouse.move(target.x + 5, target.y + 5, { steps: 5 })
  await page.mouse.up()
  await comesTo(() => names(page), ['Ana', 'Ben', 'Col'])
  // The screen is ahead of the server, which a reload would leave behind.
  await comesTo(namesOnServer, ['Ana', 'Ben', 'Col'])
  await page.reload()
  await comesTo(() => names(page), ['Ana', 'Ben', 'Col'])

  await page.getByRole('button', { name: 'Edit Ben' }).click()
  await dialog(page, 'Edit Elder').getByLabel('Name').fill('Benjamin')
  await dialog(page, 'Edit Elder').getByRole('button', { name: 'Save' }).click()
  await seeToast(page, 'Elder Updated')
  await page.getByRole('button', { name: 'Delete Ana' }).click()
  const asked = dialog(page, 'Delete Elder')
  await asked.getByText('Are you sure you want to delete Ana? This action cannot be undone.').waitFor()
  await asked.getByRole('button', { name: 'Delete' }).click()
  await seeToast(page, 'Elder Deleted')
  await comesTo(() => names(page), ['Benjamin', 'Col'])

  await writesForVisitors(page)

  // The system, the feed and the bin.
  await register(site.url, { name: 'Extra', email: 'extra@example.org', password: 'Long-enough-1' })
  const hope = await site.add(mp3('hope.mp3'), { title: 'Hope', speaker: 'John Smith', date: '2026-11-22' })
  await call(teachings.remove, { params: { id: hope.id }, query: {} }, await site.session())
  await page.getByRole('tab', { name: 'System Administration' }).click()
  await page.getByRole('heading', { name: 'System health' }).waitFor()
  await page.getByText('There is no complete backup yet.').waitFor()
  const everybody = await call(users.list, {}, await site.session())
  await page.getByText('Total users').locator('..').getByText(String(everybody.length)).waitFor()
  await page.getByText(/^Node\.js v\d+/).waitFor()
  await page.getByRole('button', { name: 'Refresh Statistics' }).click()

  await page.getByRole('tab', { name: 'Processes' }).click()
  await page.getByText(/^\d+ of 80$/).waitFor()
  expect(new URL(page.url()).searchParams.get('part')).toBe('processes')
  await page.getByRole('tab', { name: 'Content Management' }).click()
  await page.getByRole('tab', { name: 'Passages' }).click()
  await page.getByText(/of 500/).waitFor()
  await page.getByRole('tab', { name: 'Podcast' }).click()
  await page.getByText('The feed has not been tested yet').waitFor()
  await page.getByRole('button', { name: 'Test my feed' }).click()
  await page.getByText('A square PNG of 1500 × 1500 pixels.').waitFor()
  await page.getByRole('tab', { name: 'Deleted' }).click()
  await page.getByRole('button', { name: 'Restore Hope' }).click()
  await seeToast(page, 'Teaching Restored', 'Hope')
  await page.getByRole('tab', { name: 'Podcast' }).click()
  await page.getByRole('button', { name: 'Test my feed' }).click()
  await page.getByText('Every recording can be downloaded, with the size that the feed says.').waitFor()
  expect((await site.list()).map(({ id }) => id)).toContain(hope.id)
  await page.getByRole('tab', { name: 'System Administration' }).click()
  await page.getByRole('tab', { name: 'Activity' }).click()
  await page.getByText('restored the teaching').waitFor()

  await page.getByRole('tab', { name: /Backup/ }).click()
  await page.getByText('Time for a backup').waitFor()
  await page.getByText('Backups are not encrypted, and the server’s secrets are not included.').waitFor()
  const downloading = page.waitForEvent('download')
  await page.getByRole('button', { name: 'Create Manual Backup' }).click()
  const download = await downloading
  expect(download.suggestedFilename()).toMatch(/^fellowship-backup-\d{4}-\d\d-\d\d\.zip$/)
  expect((await readFile(await download.path())).subarray(0, 4).toString('latin1')).toBe('PK\x03\x04')
  await page.getByRole('button', { name: 'View Backup History' }).click()
  // The daily database file may be listed too.
  const manual = page.getByRole('listitem').filter({ hasNotText: 'every day' })
  await manual.getByText('Complete', { exact: true }).waitFor()
  await comesTo(() => page.getByText('Time for a backup').count(), 0)
})

/** An event of which a date is cancelled, a page, and another name and accent of the site, which is open here too. */
async function writesForVisitors(page: Page): Promise<void> {
  const main = page.getByRole('main')
  await page.getByRole('tab', { name: 'Events', exact: true }).click()
  await addWeeklyEvent(page, 'Prayer breakfast')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })

  await page.getByRole('tab', { name: 'Pages', exact: true }).click()
  await page.getByRole('button', { name: 'Add Page' }).click()
  await page.getByLabel('Title').fill('Children')
  await page.getByLabel('Text').fill('From 3 to 12.\n\n# Where\n\nIn the hall.')
  await page.getByRole('button', { name: 'Create' }).click()
  await seeToast(page, 'Page Created')

  await page.getByRole('tab', { name: 'Site', exact: true }).click()
  const [words, look] = ['Name', 'Look'].map((group) => main.getByRole('region', { name: group }))
  await words!.getByLabel('Name', { exact: true }).fill('Grace Church')
  await words!.getByRole('button', { name: 'Save' }).click()
  await seeToast(page, 'Site Updated')
  await page.getByRole('banner').getByText('Grace Church').waitFor()
  // The other groups have the new revision, so that the next change meets no conflict.
  await words!.getByRole('button', { name: 'Save', exact: true }).waitFor()
  await look!.getByLabel('Accent colour').fill('#ffd400')
  await look!.getByText(/could not be read on paper/).waitFor()
  await look!.getByRole('button', { name: 'Save' }).click()
  const colour = () =>
    page.evaluate(() => getComputedStyle(document.documentElement).getPropertyValue('--accent-light'))
  await comesTo(colour, '#806900')

  const answer = await fetch(site.url, { headers: { accept: 'text/html' } })
  const html = await answer.text()
  for (const shown of ['Prayer breakfast', '--accent-light:#806900', 'Grace Church'])
    expect(html).toContain(shown)
  await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Children' }).click()
  await page.getByRole('heading', { name: 'Where' }).waitFor()
  await page.goBack()
}

nightlySuite('user management', () => {
  test('manages users and protects the last administrator', async () => {
    const page = await site.visit('/manage', {
      as: administrator,
      allow: [refused(/\/api\/admin\/users/)],
    })
    await page.getByRole('button', { name: 'Add User' }).click()
    const form = dialog(page, 'Add User')
    await form.getByLabel('Email').fill('nobody')
    await form.getByLabel('Password').fill('short')
    await form.getByRole('button', { name: 'Create User' }).click()
    await form.getByText('Name is required').waitFor()
    await form.getByText('Invalid email address').waitFor()
    await form.getByText('Password must be at least 8 characters', { exact: true }).waitFor()
    await form.getByLabel('Name').fill('Lee Leaver')
    await form.getByLabel('Email').fill('lee@example.org')
    await form.getByLabel('Password').fill('Long-enough-1')
    await form.getByRole('button', { name: 'Create User' }).click()
    await seeToast(page, 'User created', 'Lee Leaver')
    const lee: Person = { name: 'Lee Leaver', email: 'lee@example.org', password: 'Long-enough-1' }
    await row(page, lee.name).getByText('Active', { exact: true }).waitFor()

    await site.add(mp3('left.mp3'), { title: 'Left', speaker: 'John Smith', date: '2026-11-15' })
    const theirs = await site.visit('/teaching', { as: lee, allow: [/^401 /, /^403 \/api\/auth\/login/] })
    await row(theirs, 'Left').getByRole('button', { name: 'Delete Left' }).click()
    await page.getByRole('button', { name: 'Edit Lee Leaver' }).click()
    await dialog(page, 'Edit User').getByLabel('Active').uncheck()
    await dialog(page, 'Edit User').getByRole('button', { name: 'Save' }).click()
    await seeToast(page, 'User updated', 'Lee Leaver')
    await row(page, lee.name).getByText('Inactive', { exact: true }).waitFor()
    // The open tab of the deactivated user is refused, and so is signing in again.
    await dialog(theirs, 'Delete Teaching').getByRole('button', { name: 'Delete', exact: true }).click()
    await theirs.waitForURL(`${site.url}/?signin&return=%2Fteaching`)
    await signIn(theirs, lee)
    await seeToast(
      theirs,
      'Login failed',
      'This account has been deactivated. Ask an administrator to activate it.',
    )
    expect((await site.list()).map(({ title }) => title)).toContain('Left')

    await page.getByRole('button', { name: `Delete ${administrator.name}` }).click()
    await dialog(page, 'Delete User').getByRole('button', { name: 'Delete' }).click()
    await seeToast(
      page,
      'Deletion failed',
      'This is the last active administrator. Make someone else an administrator first, then try again.',
    )
    await page.getByRole('button', { name: 'Delete Lee Leaver' }).click()
    await dialog(page, 'Delete User').getByText('Are you sure you want to delete Lee Leaver?').waitFor()
    await dialog(page, 'Delete User').getByRole('button', { name: 'Delete' }).click()
    await seeToast(page, 'User deleted', 'Lee Leaver')
    await comesTo(() => row(page, lee.name).count(), 0)
  })
})

nightlySuite('system administration', () => {
  nightly('clears the site cache and keeps saved data', async () => {
    const page = await site.visit('/admin?tab=system&part=info', { as: administrator, firstVisit: true })
    // A listening position stands for all data stored on the device.
    const position = (write: boolean) =>
      page.evaluate(async (writes) => {
        if (!(await indexedDB.databases()).some(({ name }) => name === 'app')) return undefined
        const opening = indexedDB.open('app')
        const database = await new Promise<IDBDatabase>((resolve, reject) => {
          opening.onsuccess = () => resolve(opening.result)
          opening.onerror = () => reject(opening.error!)
        })
        if (!database.objectStoreNames.contains('positions')) return undefined
        const store = database.transaction('positions', 'readwrite').objectStore('positions')
        if (writes) store.put({ uid: 'kept' })
        const found = store.get('kept')
        await new Promise((resolve) => (store.transaction.oncomplete = resolve))
        database.close()
        return (found.result as { uid: string } | undefined)?.uid
      }, write)
    await page.getByText(/^Up to date, /).waitFor()
    await comesTo(() => position(true), 'kept')
    await page.evaluate(async () => {
      await caches.open('from an earlier version')
      await navigator.serviceWorker.ready
    })
    await page.getByRole('button', { name: 'Clear Frontend Cache' }).click()
    await seeToast(page, 'Cache Cleared')
    const left = () =>
      page.evaluate(async () => [
        ...(await caches.keys()),
        ...(await navigator.serviceWorker.getRegistrations()).map(({ scope }) => scope),
      ])
    expect(await left()).toEqual([])
    const loaded = page.waitForEvent('load')
    await page.getByRole('button', { name: 'Reload Application' }).click()
    await loaded
    await page.getByRole('heading', { name: 'System health' }).waitFor()
    await comesTo(() => position(false), 'kept')
  })
})

nightlySuite('a forgotten password', () => {
  nightly('a reset link works once', async () => {
    const page = await site.visit('/', { allow: [/^400 \/api\/auth\/reset-password/] })
    await page.getByRole('button', { name: 'Sign In', exact: true }).click()
    await page.getByRole('link', { name: 'Forgot your password?' }).click()
    await page.getByRole('heading', { name: 'Reset your password' }).waitFor()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByLabel('Email').fill('stranger@example.org')
    await page.getByRole('button', { name: 'Send me a link' }).click()
    await page.getByText('Check your email').waitFor()
    await page.goto(`${site.url}/reset-password#spent`)
    await page.reload()
    await page.getByLabel('New password').fill('Long-enough-1')
    await page.getByRole('button', { name: 'Save the new password' }).click()
    await page.getByText('This link was used already, or is older than an hour. Request a new one.').waitFor()
  })
})
