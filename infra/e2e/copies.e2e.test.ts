import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { canMakeSpeech, recordSpeech } from '@fellowship/api/testing/recordings'
import { beforeEach, expect, onTestFinished, test } from 'vitest'
import { fileSize } from '../../web/src/lib/file-size.ts'
import { journey } from './support/journey.ts'
import { saveControl, seeState } from './support/offline-steps.ts'
import { play, row, running } from './support/screens.ts'

const site = journey()
beforeEach(() => site.empty())

async function speech(name: string) {
  const folder = await mkdtemp(path.join(tmpdir(), 'speech-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const file = path.join(folder, name)
  await recordSpeech(file, { seconds: 30, output: ['-b:a', '128k'] })
  return { name, mimeType: 'audio/mpeg', buffer: await readFile(file) }
}

test.skipIf(!canMakeSpeech)(
  'a listener who wants small recordings plays and saves the copy',
  async () => {
    await site.add(await speech('a.mp3'), { title: 'Hope', speaker: 'Jane Doe', date: '2026-11-22' })
    const current = async () => (await site.list())[0]!
    // The server waits for a quiet moment, and works at the lowest priority.
    await expect.poll(async () => (await current()).copyUrl, { timeout: 110_000 }).not.toBeNull()
    const { audioUrl, audioBytes, copyUrl, copyBytes } = await current()
    expect(copyBytes).toBeLessThan(audioBytes! / 2)

    const page = await site.visit('/teaching')
    await row(page, 'Hope').waitFor()
    await seeState(page, 'Hope', `Save offline (${fileSize(audioBytes!)})`)
    await play(page, 'Hope')
    expect((await running(page)).map(({ src }) => src)).toEqual([audioUrl])

    await page.getByRole('contentinfo').getByRole('button', { name: 'Display and data' }).click()
    const dialog = page.getByRole('dialog', { name: 'Display and data' })
    await dialog.getByLabel('Small recordings').check()
    await page.keyboard.press('Escape')
    await seeState(page, 'Hope', `Save offline (${fileSize(copyBytes!)})`)
    await page.reload()
    await row(page, 'Hope').waitFor()
    await play(page, 'Hope')
    expect((await running(page)).map(({ src }) => src)).toEqual([copyUrl])

    // A saved copy stays what is played when the choice changes.
    await saveControl(page, 'Hope').click()
    await seeState(page, 'Hope', 'Saved')
    await page.getByRole('contentinfo').getByRole('button', { name: 'Display and data' }).click()
    await dialog.getByLabel('Small recordings').uncheck()
    await page.keyboard.press('Escape')
    await seeState(page, 'Hope', 'Saved')
  },
  180_000,
)
