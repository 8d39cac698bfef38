import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { longWav } from '@fellowship/api/testing/long-wav'
import { connectClient } from '@fellowship/api/testing/sftp-client'
import { isMissing, lftpArgs } from '@fellowship/api/testing/sftp-programs'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, describe, expect, test, vi } from 'vitest'
import { freePort } from '@fellowship/api/testing/free-port'
import { journey } from './support/journey.ts'
import { administrator } from './support/people.ts'
import { mp3, onDisk } from './support/recordings.ts'
import { comesTo, goWithin, seeToast } from './support/screens.ts'
import { nightly } from './support/in-soak.ts'

// A throttled transfer, and a page that polls every ten seconds.
vi.setConfig({ testTimeout: 240_000 })
const sftpPort = await freePort()
const site = journey({ SFTP_PORT: String(sftpPort) })
const part = '/admin?tab=system&part=sftp'
const open = (page: Page, name: string) => page.getByRole('button', { name, exact: true })

/** Uploads a file by SFTP as the sound desk does. */
async function send(name: string, bytes: Buffer): Promise<void> {
  const { username, password, port } = await call(sftp.credentials, {}, await site.session())
  const { connection, ask } = await connectClient({ port, username, password })
  await ask((client, done) => client.writeFile(`/${name}`, bytes, done))
  connection.end()
}

/** Sends or resumes a recording with lftp, throttled if told; resolves with the exit code. */
async function sendByLftp(title: string, { kilobytesPerSecond = 0 } = {}): Promise<number> {
  const { password, port } = await call(sftp.credentials, {}, await site.session())
  const buffer = Buffer.concat([...longWav(8_000_000, title.length)])
  const file = onDisk({ name: `2026-11-22_Sam-Desk"${title}".wav`, mimeType: 'audio/wav', buffer })
  const commands = `set net:max-retries 1; set net:reconnect-interval-base 1; set net:limit-rate 0:${kilobytesPerSecond}K; put -c ${JSON.stringify(file)}`
  const program = spawn('lftp', lftpArgs({ port, password }, commands), { stdio: 'ignore' })
  return once(program, 'exit').then(([code]) => code as number)
}

const arriving = (page: Page) => page.getByText(/is arriving: .* so far/)
const waiting = (page: Page, title: string) =>
  page
    .getByRole('listitem')
    .filter({ hasText: `"${title}".wav` })
    .getByText(/Waiting for the rest \(\d+ %\)/)
const poll = { timeout: 80_000 }

/** In the weekly window and the hour before it, it stays open until the end of that. */
const seeOpened = (page: Page) =>
  page
    .locator('#toasts')
    .getByText(/^The SFTP server is open (for 60 minutes|until the end of the upload window)\.$/)
    .first()
    .waitFor()

describe('SFTP Automation', () => {
  // On a Sunday around noon the schedule would open the server: these tests control it by hand.
  beforeAll(async () => {
    await call(sftp.stop, {}, await site.session())
  })

  test('starts by hand, publishes, and fills the Inbox', async () => {
    const page = await site.visit(part, { as: administrator })
    await page.getByText('Scheduled', { exact: true }).waitFor()
    await comesTo(() => open(page, 'Stop Server').isDisabled(), true)
    await open(page, 'Start Server').click()
    await seeOpened(page)
    await page.getByText('Active', { exact: true }).waitFor()
    await comesTo(() => open(page, 'Start Server').isDisabled(), true)
    await page
      .getByRole('timer')
      // In the weekly window and the hour before it stays open until the end of that.
      .filter({ hasText: /^(59:\d\d|[1-4]:\d\d:\d\d)$/ })
      .waitFor()
    await open(page, 'Stop Server').click()
    await seeToast(page, 'The SFTP server is closed.')
    await comesTo(() => open(page, 'Stop Server').isDisabled(), true)

    await open(page, 'Edit Password').click()
    const field = page.getByLabel('New password')
    await field.waitFor()
    expect(await field.inputValue()).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/)
    await field.fill('short')
    await page.getByText('Password must be at least 8 characters long').waitFor()
    await comesTo(() => open(page, 'Save').isDisabled(), true)
    await field.fill('long enough 9')
    await open(page, 'Save').click()
    await seeToast(page, 'The SFTP password was changed.')
    await page.getByText('long enough 9', { exact: true }).waitFor()
    const { password } = await call(sftp.credentials, {}, await site.session())
    expect(password).toBe('long enough 9')
    // Another administrator changes it while the old one is displayed.
    await call(sftp.changePassword, { body: { newPassword: 'by another 8' } }, await site.session())
    await open(page, 'Edit Password').click()
    await field.waitFor()
    await comesTo(() => field.inputValue(), 'by another 8')
    await open(page, 'Cancel').click()
    await open(page, 'Hide Password').click()
    await comesTo(() => page.getByText('by another 8').count(), 0)

    await call(sftp.start, {}, await site.session())
    await send('2026-11-22_Sam-Desk"From the desk".mp3', mp3('a.mp3').buffer)
    await comesTo(async () => (await site.list()).map(({ title }) => title), ['From the desk'])

    await send('sunday morning.mp3', mp3('b.mp3').buffer)
    await goWithin(page, '/admin?tab=content&part=inbox')
    const item = page.getByRole('list', { name: 'Inbox' }).getByRole('listitem')
    await item.getByText('Name must start with a date', { exact: false }).waitFor()
    await item.getByRole('button', { name: /^Correct and Publish .+\.mp3$/ }).click()
    const dialog = page.getByRole('dialog')
    await dialog.getByLabel('Title').fill('Sunday morning')
    await dialog.getByLabel('Speaker', { exact: true }).fill('Sam Desk')
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await dialog.getByText('A valid date is required').waitFor()
    await dialog.getByLabel('Date', { exact: true }).fill('2026-11-22')
    await dialog.getByRole('button', { name: 'Publish', exact: true }).click()
    await seeToast(page, 'The recording is in the library.')
    await comesTo(() => item.count(), 0)
    await comesTo(async () => (await site.list()).length, 2)

    await send('2026-11-22_Sam-Desk"From the desk".mp3', mp3('c.mp3').buffer)
    await page.reload()
    await item.getByText('Duplicate sermon detected: From the desk', { exact: false }).waitFor()
    await item.getByText('Correct the fields and publish, or discard.').waitFor()
    await item.getByRole('link', { name: 'Show it in the library' }).waitFor()
    await item.getByRole('button', { name: /^Discard .+\.mp3$/ }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Discard' }).click()
    await seeToast(page, 'The recording was deleted.')
    await comesTo(() => item.count(), 0)
  })

  nightly('copies the username and address', async () => {
    const { username, host, port } = await call(sftp.status, {}, await site.session())
    const page = await site.visit(part, {
      as: administrator,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    for (const [what, text] of [
      ['Username', username],
      ['Address', `sftp://${username}@${host}:${port}`],
    ] as const) {
      await open(page, `Copy ${what.toLowerCase()}`).click()
      await seeToast(page, `${what} copied`)
      await comesTo(() => page.evaluate(() => navigator.clipboard.readText()), text)
    }
  })

  nightly('lists a banned address and unbans it', async () => {
    await call(sftp.start, {}, await site.session())
    const { username, password, port } = await call(sftp.credentials, {}, await site.session())
    for (let tries = 0; tries < sftpGuards.triesBeforeBan; tries++) {
      await expect(connectClient({ port, username, password: `wrong ${tries}` })).rejects.toThrow()
    }
    const bans = async () => (await call(sftp.monitor, {}, await site.session())).bans.length
    await comesTo(bans, 1)
    const page = await site.visit(part, { as: administrator })
    await page.getByText('127.0.0.1 12 tries, until', { exact: false }).waitFor()
    await open(page, 'Let in again').click()
    await seeToast(page, 'The address may connect again.')
    await comesTo(() => open(page, 'Let in again').count(), 0)
    const enters = () =>
      connectClient({ port, username, password }).then(
        ({ connection }) => {
          connection.end()
          return true
        },
        () => false,
      )
    await comesTo(enters, true)
  })

  nightly.skipIf(isMissing('lftp'))('Stop ends a running transfer, which can resume', async () => {
    await site.empty()
    await call(sftp.start, {}, await site.session())
    const cutOff = sendByLftp('Cut off', { kilobytesPerSecond: 50 })
    const page = await site.visit(part, { as: administrator })
    await arriving(page).waitFor(poll)
    await comesTo(() => open(page, 'Start Server').isDisabled(), true)
    expect(await open(page, 'Force Stop (Clean Up)').count()).toBe(0)
    await open(page, 'Stop Server').click()
    await seeToast(page, 'The SFTP server is closed.')
    expect(await cutOff).not.toBe(0)
    await comesTo(() => open(page, 'Stop Server').isDisabled(), true)
    await comesTo(() => open(page, 'Start Server').isEnabled(), true)
    await comesTo(() => arriving(page).count(), 0)
    await waiting(page, 'Cut off').waitFor(poll)
    expect(await site.list()).toEqual([])

    await open(page, 'Start Server').click()
    await seeOpened(page)
    expect(await sendByLftp('Cut off')).toBe(0)
    await comesTo(async () => (await site.list()).map(({ title }) => title), ['Cut off'])
    await waiting(page, 'Cut off').waitFor({ state: 'detached', ...poll })
  })

  nightly.skipIf(isMissing('lftp'))('Force Stop closes a session and its record', async () => {
    await site.empty()
    await call(sftp.start, {}, await site.session())
    const broken = sendByLftp('Power cut', { kilobytesPerSecond: 50 })
    await expect
      .poll(async () => (await call(sftp.status, {}, await site.session())).currentUpload?.size ?? 0, {
        ...poll,
        interval: 50,
      })
      .toBeGreaterThan(0)
    await site.product.kill()
    expect(await broken).not.toBe(0)
    // After the restart another program uses its port.
    const other = createServer()
    await new Promise<void>((resolve) => other.listen(sftpPort, '127.0.0.1', resolve))
    await site.startAgain()

    const page = await site.visit(part, { as: administrator, allow: ['503 /api/sftp/start'] })
    const notAvailable = page.getByRole('alert').filter({ hasText: 'SFTP server not available' })
    await notAvailable.getByText(`Port ${sftpPort} is used by another program.`, { exact: false }).waitFor()
    await arriving(page).waitFor()
    expect(await open(page, 'Stop Server').count()).toBe(0)
    await open(page, 'Start Server').click()
    await seeToast(page, 'Failed to start SFTP server')
    await comesTo(() => open(page, 'Start Server').isEnabled(), true)
    await open(page, 'Force Stop (Clean Up)').click()
    await seeToast(page, 'The SFTP server is closed.')
    await comesTo(() => open(page, 'Stop Server').isDisabled(), true)
    await comesTo(() => notAvailable.count(), 0)
    await comesTo(() => arriving(page).count(), 0)
    await page.getByText('Scheduled', { exact: true }).waitFor()
    // A resumable partial file is not deleted.
    await waiting(page, 'Power cut').waitFor(poll)

    await new Promise((resolve) => other.close(resolve))
    await open(page, 'Start Server').click()
    await seeOpened(page)
    expect(await sendByLftp('Power cut')).toBe(0)
    await comesTo(async () => (await site.list()).map(({ title }) => title), ['Power cut'])
  })
})
