import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { violations } from './support/axe.ts'
import { addWeeklyEvent } from './support/event-steps.ts'
import { journey } from './support/journey.ts'
import { serverDown, synced } from './support/offline-steps.ts'
import { administrator } from './support/people.ts'
import { seeToast } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'

const site = journey()
const html = async (path: string) =>
  (await fetch(site.url + path, { headers: { accept: 'text/html' } })).text()

test('an event shows on Home offline and goes to calendars', async () => {
  const page = await site.visit('/admin?tab=content&part=events', {
    as: administrator,
    allow: [...serverDown, ...offlineErrors],
  })
  expect(await html('/')).not.toContain('Coming up')
  await addWeeklyEvent(page, 'Prayer breakfast')
  await page.goto(`${site.url}/admin?tab=content&part=notices`)
  await page.getByRole('button', { name: 'Add Notice' }).click()
  await page.getByLabel('Text').fill('The hall is being painted.')
  await page.getByRole('button', { name: 'Create' }).click()
  await seeToast(page, 'Notice Created')

  const drawn = await html('/')
  expect(drawn).toContain('Prayer breakfast')
  expect(drawn).toContain('The hall is being painted.')
  expect(await html('/events')).toContain('Prayer breakfast')

  await page.goto(`${site.url}/`)
  const coming = page.getByRole('region', { name: 'Coming up' })
  await coming
    .getByRole('heading', { name: /Prayer breakfast/ })
    .nth(2)
    .waitFor()
  expect(await coming.getByText('Cancelled').count()).toBe(1)
  await synced(page)
  await page.context().setOffline(true)
  await page.reload()
  await coming.waitFor()
  await page.getByRole('region', { name: 'Notices' }).getByText('The hall is being painted.').waitFor()
  await coming.getByRole('link', { name: 'All events' }).click()
  await page.getByRole('heading', { name: 'Events', exact: true }).waitFor()
  expect(await violations(page)).toEqual([])
  await page
    .getByRole('heading', { name: /Prayer breakfast/ })
    .nth(3)
    .waitFor()
  expect(await page.getByRole('heading', { name: /Prayer breakfast/ }).count()).toBe(4)
  await page.getByText(/^Then every week on \w+day$/).waitFor()
  await page.context().setOffline(false)

  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Add to calendar: Prayer breakfast' }).first().click(),
  ])
  const text = await readFile((await download.path())!, 'utf8')
  expect(text).toContain('SUMMARY:Prayer breakfast')
  expect(text).toMatch(/RRULE:FREQ=WEEKLY;BYDAY=(?:SU|MO|TU|WE|TH|FR|SA)\r\nEXDATE;TZID=/)
})
