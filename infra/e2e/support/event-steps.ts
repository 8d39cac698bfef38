import type { Page } from 'playwright-core'
import { seeToast } from './screens.ts'

/** Adds a weekly event in the administration of events, and cancels its second date. */
export async function addWeeklyEvent(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Add Event' }).click()
  await page.getByLabel('Title').fill(title)
  await page.getByLabel('Repeats').selectOption('weekly')
  await page.getByRole('button', { name: 'Create' }).click()
  await seeToast(page, 'Event Created')
  await page.getByRole('button', { name: `Dates of ${title}` }).click()
  await page.getByText('Cancel this date').nth(1).click()
  await seeToast(page, 'Date Cancelled')
}
