import { readdir, readFile } from 'node:fs/promises'
import path from 'node:path'
import { addressLine, church } from '@fellowship/schema/church'
import { expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { administrator } from './support/people.ts'
import { comesTo, seeToast } from './support/screens.ts'

const root = path.join(import.meta.dirname, '../..')
const site = journey()

async function filesWith(folder: string, words: readonly string[]): Promise<string[]> {
  const entries = await readdir(path.join(root, folder), { recursive: true, withFileTypes: true })
  const files = entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => path.join(parentPath, name))
  expect(files.length).toBeGreaterThan(5)
  const found: string[] = []
  for (const file of files) {
    const text = await readFile(file, 'latin1')
    for (const word of words) if (text.includes(word)) found.push(`${path.relative(root, file)}: ${word}`)
  }
  return found
}

test('no built file names the church of a fresh start', async () => {
  const { name, address, contactEmail, accent } = church()
  const words = [name, address.street, addressLine(address), contactEmail, accent]
  for (const folder of ['web/dist', 'api/dist']) expect(await filesWith(folder, words)).toEqual([])
})

test('an open page follows a change of name and accent', async () => {
  const { name, accent } = church()
  const office = await site.visit('/admin?tab=content&part=site', { as: administrator })
  const page = await site.visitBeside(office, '/')
  await synced(page)
  const [words, look] = ['Name', 'Look'].map((group) => office.getByRole('region', { name: group }))
  await words!.getByLabel('Name', { exact: true }).fill('Grace Church')
  await words!.getByRole('button', { name: 'Save' }).click()
  await seeToast(office, 'Site Updated')
  // The other groups have the new revision, so that the next change meets no conflict.
  await words!.getByRole('button', { name: 'Save', exact: true }).waitFor()
  await look!.getByLabel('Accent colour').fill('#ffd400')
  await look!.getByText(/could not be read on paper/).waitFor()
  await look!.getByRole('button', { name: 'Save' }).click()

  const button = page.getByRole('button', { name: 'Get directions' })
  const colour = () => button.evaluate((element) => getComputedStyle(element).backgroundColor)
  await comesTo(colour, 'rgb(128, 105, 0)')
  await page.getByRole('banner').getByText('Grace Church').waitFor()
  const html = await (await fetch(site.url, { headers: { accept: 'text/html' } })).text()
  expect(html).toContain('--accent-light:#806900')
  for (const word of [name, accent]) expect(html).not.toContain(word)
})
