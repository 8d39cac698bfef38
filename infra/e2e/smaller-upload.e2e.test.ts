import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { playedSeconds, recordSource } from '@fellowship/api/testing/recordings'
import { beforeEach, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { member } from './support/people.ts'
import { pickFile, row, seeToast, uploadPanel } from './support/screens.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const site = journey()
const folder = temporaryFolder()

beforeEach(() => site.empty())

test('a WAV over the limit shrinks, uploads and plays', async () => {
  const seconds = 280
  const file = path.join(folder, '2026-11-22_Jane-Doe"Hope".wav')
  // 107 MB.
  const tone = `sine=frequency=330:sample_rate=96000:duration=${seconds}`
  await recordSource(file, tone, ['-c:a', 'pcm_f32le', '-f', 'wav'])
  const page = await site.visit('/teaching', { as: member })
  await pickFile(page, file)
  const panel = uploadPanel(page)
  await panel.getByText('Filename Parsed Successfully', { exact: true }).waitFor()
  await panel.getByText(/^It is larger than 100 MB.* Shrink before uploading\? 102\.5 → 2\.1 MB/).waitFor()
  const submit = panel.getByRole('button', { name: 'Upload Teaching' })
  await submit.click()
  await seeToast(page, 'Too Large to Send')

  await panel.getByRole('button', { name: 'Make it smaller' }).click()
  await submit.click()
  await panel.getByText('It is sent when that is done.').waitFor()
  await row(page, 'Hope').waitFor()
  const [{ audioUrl } = { audioUrl: '' }] = await site.list()
  const sent = path.join(folder, 'sent.mp3')
  await writeFile(sent, Buffer.from(await (await fetch(`${site.url}${audioUrl}`)).arrayBuffer()))
  expect(Math.abs((await playedSeconds(sent)) - seconds)).toBeLessThan(0.2)
})
