import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { canMakeSpeech, recordSpeech } from '@fellowship/api/testing/recordings'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { fileSize } from '../../web/src/lib/file-size.ts'
import { journey } from './support/journey.ts'
import { saveControl, seeState } from './support/offline-steps.ts'
import { administrator, member } from './support/people.ts'
import { nightly } from './support/in-soak.ts'
import { comesTo, goWithin, pickFile, play, row, runningRecordings, uploadPanel } from './support/screens.ts'

const site = journey()
beforeAll(async () => {
  await call(copies.change, { body: { paused: false } }, await site.session(administrator))
})
beforeEach(() => site.empty())

/** How recordings sound stands beside the upload form, which opens on demand. */
async function openNotes(page: Page): Promise<void> {
  await page.getByRole('main').getByRole('button', { name: 'Upload', exact: true }).click()
  await page.getByText('1 recording to look at').click()
}

async function emptyFolder(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'copies-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

async function speech(name: string, filter = 'anull') {
  const file = path.join(await emptyFolder(), name)
  await recordSpeech(file, { seconds: 30, filter, output: ['-b:a', '128k'] })
  return { name, mimeType: 'audio/mpeg', buffer: await readFile(file) }
}

nightly.skipIf(!canMakeSpeech)(
  'a listener plays and saves the small copy',
  async () => {
    await site.add(await speech('a.mp3'), { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-22' })
    const current = async () => (await site.list())[0]!
    // The server waits for a quiet moment and copies at the lowest priority, so other tests go first.
    await expect.poll(async () => (await current()).copyUrl, { timeout: 280_000 }).not.toBeNull()
    const { audioUrl, audioBytes, copyUrl, copyBytes } = await current()
    expect(copyBytes).toBeLessThan(audioBytes! / 2)

    const page = await site.visit('/teaching')
    await row(page, 'Hope').waitFor()
    await seeState(page, 'Hope', `Save offline (${fileSize(audioBytes!)})`)
    await play(page, 'Hope')
    await comesTo(() => runningRecordings(page), [audioUrl])

    await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
    const dialog = page.getByRole('dialog', { name: 'Settings' })
    await dialog.getByLabel('Small recordings').check()
    await page.keyboard.press('Escape')
    await seeState(page, 'Hope', `Save offline (${fileSize(copyBytes!)})`)
    await page.reload()
    await row(page, 'Hope').waitFor()
    await play(page, 'Hope')
    await comesTo(() => runningRecordings(page), [copyUrl])

    // The saved copy is still played when the choice changes.
    await saveControl(page, 'Hope').click()
    await seeState(page, 'Hope', 'Saved')
    await page.getByRole('contentinfo').getByRole('button', { name: 'Settings' }).click()
    await dialog.getByLabel('Small recordings').uncheck()
    await page.keyboard.press('Escape')
    await seeState(page, 'Hope', 'Saved')

    // Changed to the original, which is fetched before the copy goes.
    const size = page.getByRole('listitem').getByRole('combobox', { name: 'Size to save: Hope' })
    await comesTo(() => size.inputValue(), 'small')
    await size.selectOption('original')
    await seeState(page, 'Hope', 'Saved')
    await page.getByRole('button', { name: 'Manage saved teaching' }).click()
    const sheet = page.getByRole('dialog', { name: 'Saved teaching' })
    await sheet.getByText('On this device (1)').waitFor()
    await sheet.getByRole('button', { name: `Make a ZIP of 1 (${fileSize(audioBytes!)})` }).waitFor()

    // Small copies suffice for a USB stick, and the car shows their tags.
    await sheet.getByLabel(/^Use small copies/).check()
    const download = page.waitForEvent('download')
    await sheet.getByRole('button', { name: `Make a ZIP of 1 (${fileSize(copyBytes!)})` }).click()
    const folder = await emptyFolder()
    await promisify(execFile)('unzip', [await (await download).path(), '-d', folder])
    const name = '01 - 2026-11-22 Hope - Jane Doe.mp3'
    expect((await readdir(folder)).toSorted()).toEqual([name, 'playlist.m3u'])
    const bytes = await readFile(path.join(folder, name))
    expect(bytes.subarray(0, 3).toString()).toBe('ID3')
    expect([bytes.includes('Hope'), bytes.includes('Jane Doe')]).toEqual([true, true])
    expect(createHash('sha256').update(bytes.subarray(-copyBytes!)).digest('hex')).toBe(copyUrl!.slice(7, 71))
  },
  360_000,
)

test.skipIf(!canMakeSpeech)(
  'reports sound problems before sending, and sends anyway',
  async () => {
    const page = await site.visit('/teaching', { as: member })
    const panel = uploadPanel(page)
    // The browser decodes it.
    const phone = path.join(await emptyFolder(), '2026-11-22_Jane-Doe"Love".m4a')
    await recordSpeech(phone, { seconds: 10, filter: 'volume=40dB,aformat=sample_fmts=s16' })
    await pickFile(page, phone)
    await panel.getByText('It is clipped: the level was too high, and loud words crackle.').waitFor()
    expect(await site.list()).toEqual([])
    await panel.getByRole('button', { name: /^Upload (Teaching|\d+ teachings)$/ }).click()
    await row(page, 'Love').waitFor()
  },
  120_000,
)

nightly.skipIf(!canMakeSpeech)(
  'an uploader trims a silence and restores it',
  async () => {
    const late = "volume='if(lt(t,14),0,0.5)':eval=frame"
    const file = await speech('late.mp3', late)
    await site.add(file, { title: 'Patience', speaker: 'Jane Doe', date: '2026-11-22' })
    const current = async () => (await site.list())[0]!
    await expect.poll(async () => (await current()).loudness, { timeout: 280_000 }).not.toBeNull()
    const { audioUrl } = await current()

    const page = await site.visit('/teaching', { as: member })
    await openNotes(page)
    const card = page.getByRole('region', { name: 'How recordings sound' })
    await card.getByText('It begins with a long silence.').waitFor()

    await row(page, 'Patience').waitFor()
    await play(page, 'Patience')
    await goWithin(page, '/about')
    await page.getByRole('button', { name: /^Open the player: Patience/ }).click()
    const player = page.getByRole('dialog', { name: 'Patience' })
    const slider = player.getByRole('slider', { name: 'Position' })
    await player.locator('[data-silence]').first().waitFor({ state: 'attached' })
    await player.getByRole('button', { name: 'Pause' }).click()
    const before = Number(await slider.inputValue())
    await slider.press('ArrowRight')
    await comesTo(async () => Number(await slider.inputValue()) > before, true)
    await player.getByRole('button', { name: 'Stop and close the player' }).click()
    await goWithin(page, '/teaching')
    await openNotes(page)

    await card.getByRole('button', { name: /^Trim it: Patience/ }).click()
    await card.getByText(/^It was trimmed\./).waitFor()
    expect((await current()).audioUrl).not.toBe(audioUrl)
    await card.getByRole('button', { name: /^Restore the original: Patience/ }).click()
    await card.getByText('It begins with a long silence.').waitFor()
    expect((await current()).audioUrl).toBe(audioUrl)
  },
  360_000,
)
