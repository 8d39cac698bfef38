/** `node infra/dev/run.mjs infra/dev/screenshots.ts`: takes the screenshots of the web app manifest, into web/public/screenshots. */
import { mkdir } from 'node:fs/promises'
import path from 'node:path'
import type { BrowserContextOptions, Page } from 'playwright-core'
import { openBrowser } from '../e2e/support/browser.ts'
import { startProduct } from '../e2e/support/product.ts'
import { administrator, sampleContent } from './sample-content.ts'

const folder = path.resolve(import.meta.dirname, '../../web/public/screenshots')
await mkdir(folder, { recursive: true })
const product = await startProduct({
  ADMIN_EMAIL: administrator.email,
  ADMIN_PASSWORD: administrator.password,
  REGISTRATION: 'open',
})
const browser = await openBrowser()
try {
  await sampleContent(product.url)
  // The install dialog wants an aspect ratio below 2.3.
  await take('narrow', { viewport: { width: 390, height: 844 }, deviceScaleFactor: 2 })
  await take('wide', { viewport: { width: 1280, height: 800 } })
} finally {
  await browser.close()
  await product.stop()
}

async function take(form: 'narrow' | 'wide', options: BrowserContextOptions): Promise<void> {
  const context = await browser.newContext({ ...options, colorScheme: 'light', reducedMotion: 'reduce' })
  const page = await context.newPage()
  const picture = (name: string) => page.screenshot({ path: path.join(folder, `${form}-${name}.png`) })

  await page.goto(`${product.url}/teaching`)
  await page.getByText(/^Up to date, /).waitFor()
  for (const place of [0, 1, 2]) await saveRow(page, place)
  await page
    .getByRole('button', { name: /^Play / })
    .first()
    .click()
  await page.getByText('Playing from this device').waitFor()
  await page.getByRole('button', { name: 'Pause', exact: true }).first().click()
  await page
    .getByRole('searchbox')
    .evaluate((box) => box.scrollIntoView({ block: 'start', behavior: 'instant' }))
  await page.evaluate(() => scrollBy({ top: -24, behavior: 'instant' }))
  await picture('library')

  await page.getByRole('button', { name: 'Manage saved teaching' }).click()
  await page.getByRole('dialog').getByText('On this device (3)').waitFor()
  await picture('saved')

  await page.goto(`${product.url}/`)
  await page.getByText('Latest teaching').waitFor()
  await page.getByText(/^Up to date, /).waitFor()
  await picture('home')
  await context.close()
}

async function saveRow(page: Page, place: number): Promise<void> {
  const row = page.getByRole('main').getByRole('listitem').nth(place)
  await row.getByRole('button', { name: /^Save offline/ }).click()
  await row.getByRole('button', { name: /^Saved: / }).waitFor()
}
