import { expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { serverDown, synced } from './support/offline-steps.ts'
import { administrator } from './support/people.ts'
import { portrait } from './support/pictures.ts'
import { comesTo, seeToast } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'

const site = journey()
const html = async (path: string) =>
  (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()

test('an edited About and a new page reach visitors offline', async () => {
  const page = await site.visit('/', { allow: [...serverDown, ...offlineErrors] })
  await synced(page)

  const office = await site.visit('/admin?tab=content&part=pages', { as: administrator })
  await office.getByRole('button', { name: 'Edit About' }).click()
  await office.getByRole('button', { name: 'Add belief' }).click()
  await office.getByLabel('Topic').last().fill('Prayer')
  await office.getByLabel('Description').last().fill('God hears us.')
  await office.getByRole('region', { name: 'Preview' }).getByText('God hears us.').waitFor()
  await office.getByRole('button', { name: 'Save' }).click()
  await seeToast(office, 'Page Updated')
  await office.getByRole('button', { name: 'Add Page' }).click()
  await office.getByLabel('Title').fill('Children')
  await office.getByLabel('Text').fill('From 3 to 12.\n\n# Where\n\nIn the hall.')
  await office.getByRole('button', { name: 'Create' }).click()
  await seeToast(office, 'Page Created')
  await office.getByRole('button', { name: 'Edit Children' }).click()
  await office
    .getByLabel('Picture (optional)')
    .setInputFiles({ name: 'hall.png', mimeType: 'image/png', buffer: await portrait() })
  await seeToast(office, 'Picture Saved')

  expect(await html('/about')).toContain('God hears us.')
  const drawn = await html('/children')
  for (const part of ['<title>Children – ', 'From 3 to 12.', '/children"', '-share.jpg'])
    expect(drawn).toContain(part)

  const main = page.getByRole('navigation', { name: 'Main' })
  await main.getByRole('link', { name: 'Children' }).click()
  await page.getByRole('heading', { name: 'Where' }).waitFor()
  await synced(page)
  const shown = () => page.getByRole('main').evaluate((main) => main.querySelector('img')?.naturalWidth ?? 0)
  await comesTo(async () => (await shown()) > 0, true)
  await page.context().setOffline(true)
  await page.reload()
  await page.getByRole('heading', { name: 'Where' }).waitFor()
  await comesTo(async () => (await shown()) > 0, true)
  await main.getByRole('link', { name: 'About' }).click()
  await page.getByText('God hears us.').waitFor()
})
