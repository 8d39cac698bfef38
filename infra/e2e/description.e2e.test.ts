import { beforeEach, expect } from 'vitest'
import { nightly } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, pickFile, play, row, seeToast, titles, uploadPanel } from './support/screens.ts'

const site = journey()
beforeEach(() => site.empty())

const description = 'Why hope does not disappoint.\nThe second of five.'

nightly('a description is uploaded, shown, searched, edited and fed', async () => {
  await site.add(mp3('b.mp3'), { title: 'Be still', speaker: 'Jane Doe', date: '2026-11-15' })
  const page = await site.visit('/teaching', { as: member })
  await pickFile(page, mp3('2026-11-22_John-Smith"Hope"_Romans_8_28-39.mp3'))
  const panel = uploadPanel(page)
  await panel.getByText('Filename Parsed Successfully', { exact: true }).waitFor()
  await panel.getByText('More', { exact: true }).click()
  await panel.getByLabel('Description').fill(description)
  await panel.getByRole('button', { name: 'Upload Teaching' }).click()
  await seeToast(page, 'File upload successful', 'Hope')
  await comesTo(() => titles(page), ['Hope', 'Be still'])

  const visitor = await site.visit('/teaching')
  await visitor.getByPlaceholder('Search teaching by title, speaker, or topic...').fill('disappoint')
  await comesTo(() => titles(visitor), ['Hope'])
  expect(await row(visitor, 'Hope').getByText('The second of five.').count()).toBe(0)
  await play(visitor, 'Hope')
  await row(visitor, 'Hope').getByText('The second of five.').waitFor()

  await row(page, 'Hope').getByRole('button', { name: /^Edit/ }).click()
  const dialog = page.getByRole('dialog', { name: 'Edit Sermon' })
  await comesTo(() => dialog.getByLabel('Description').inputValue(), description)
  await dialog.getByLabel('Description').fill('What hope is.')
  await dialog.getByRole('button', { name: 'Update' }).click()
  await seeToast(page, 'Teaching updated successfully')
  await expect
    .poll(async () => (await site.list()).map((teaching) => teaching.description))
    .toEqual(['What hope is.', null])
  const feed = await (await fetch(`${site.url}/feed.xml`)).text()
  expect(feed).toContain('<itunes:summary>What hope is.</itunes:summary>')
})
