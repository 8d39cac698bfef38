import { expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { serverDown, synced } from './support/offline-steps.ts'
import { administrator } from './support/people.ts'
import { comesTo, seeToast } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'

const site = journey()
const html = async () => (await fetch(site.url, { headers: { accept: 'text/html' } })).text()

test('visit details show on Home, in HTML and offline', async () => {
  const page = await site.visit('/', { firstVisit: true, allow: [...serverDown, ...offlineErrors] })
  await synced(page)
  const section = page.getByRole('region', { name: 'Plan Your Visit' })
  expect(await section.count()).toBe(0)
  expect(await html()).not.toContain('Plan Your Visit')

  // The second form sends its change once more if it has not read yet what the first one saved.
  const allow = ['409 /api/site']
  const office = await site.visit('/admin?tab=content&part=site', { as: administrator, allow })
  const texts = office.getByRole('region', { name: 'Plan Your Visit' })
  const contact = office.getByRole('region', { name: 'Contact' })
  await contact.getByLabel('Phone').fill('ask Ruth')
  await contact.getByRole('button', { name: 'Save' }).click()
  await office.getByText(/^Phone must be a number/).waitFor()
  expect(await html()).not.toContain('Plan Your Visit')
  await contact.getByLabel('Phone').fill('06 322 1234')
  await contact.getByRole('button', { name: 'Save' }).click()
  await seeToast(office, 'Site Updated')
  await texts.getByLabel('What to expect').fill('About 90 minutes.\nCome as you are.')
  await texts.getByRole('button', { name: 'Save' }).click()
  await comesTo(async () => (await html()).includes('About 90 minutes.'), true)
  await page.goto(`${site.url}/`)
  await comesTo(() => section.getByRole('term').allTextContents(), ['What to expect', 'Phone'])
  await comesTo(
    () => section.getByRole('link', { name: '06 322 1234' }).getAttribute('href'),
    'tel:063221234',
  )
  await page.context().setOffline(true)
  await page.getByRole('link', { name: 'About', exact: true }).first().click()
  await page.getByRole('link', { name: 'Home', exact: true }).first().click()
  await comesTo(() => section.getByRole('term').allTextContents(), ['What to expect', 'Phone'])
  await page.context().setOffline(false)
})
