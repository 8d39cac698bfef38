import type { Page } from 'playwright-core'
import { expect } from 'vitest'
import { series } from '@fellowship/schema/series/series.contract'
import { seriesPath } from '@fellowship/schema/series/series-address'
import { teachingPath } from '@fellowship/schema/teachings/teaching-address'
import { call } from '@fellowship/sync/call/call'
import { nightly } from './support/in-soak.ts'
import { journey } from './support/journey.ts'
import { administrator } from './support/people.ts'
import { mp3 } from './support/recordings.ts'

const site = journey()

/** Records every report of the content policy from the beginning of each document on. */
async function recordReports(page: Page): Promise<() => Promise<string[]>> {
  const reports: string[] = []
  await page.exposeFunction('noteReport', (report: string) => void reports.push(report))
  await page.addInitScript(() => {
    const { noteReport } = globalThis as unknown as { noteReport: (report: string) => void }
    document.addEventListener('securitypolicyviolation', (event) =>
      noteReport(`${location.pathname}: ${event.effectiveDirective} ${event.blockedURI} ${event.sample}`),
    )
  })
  return async () => {
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 0)))
    return reports
  }
}

nightly('the policy refuses inline styles, scripts and markup', async () => {
  const page = await site.visit('/', {
    allow: [/Content Security Policy|violates the following|TrustedHTML|requires? 'Trusted/],
  })
  const done = await page.evaluate(() => {
    const style = document.createElement('style')
    style.textContent = 'body { outline: 7px solid red }'
    document.head.append(style)
    const script = document.createElement('script')
    try {
      script.text = 'globalThis.wasRun = true'
      document.head.append(script)
    } catch {
      // Refused by Trusted Types before it is inserted.
    }
    const box = document.createElement('div')
    let markup = 'made'
    try {
      box.innerHTML = '<img src=x onerror="globalThis.wasRun = true">'
    } catch {
      markup = 'refused'
    }
    return {
      markup,
      outline: getComputedStyle(document.body).outlineWidth,
      wasRun: 'wasRun' in globalThis,
    }
  })
  expect(done).toEqual({
    markup: 'refused',
    outline: expect.not.stringMatching('7px') as string,
    wasRun: false,
  })
})

nightly('no page violates the content policy', async () => {
  await site.add(mp3('a.mp3'), {
    title: 'Hope',
    speaker: 'Ana Smith',
    date: '2026-11-22',
    scriptureReference: 'John 3:16',
  })
  const [teaching] = await site.list()
  const body = { title: 'Psalms', description: 'Of *hope*, see John 3:16.', teachings: [teaching!.uid] }
  const { slug } = await call(series.create, { body }, await site.session())
  const page = await site.visit('/', { as: administrator, firstVisit: true })
  const reports = await recordReports(page)
  const looks = [
    '/',
    '/about',
    '/teaching',
    `/teaching?t=${teaching!.uid}`,
    teachingPath(teaching!),
    '/listening',
    '/browse',
    seriesPath({ slug }),

    '/speakers/ana-smith',

    '/books/john',
    '/admin',
    '/manage',
    '/reset-password#x',
    '/verify-email#x',
    '/index.html',
  ]
  for (const path of looks) {
    const answer = await page.goto(site.url + path)
    expect([path, answer?.status()]).toEqual([path, 200])
    await page.locator('h1, h2').first().waitFor()
  }
  await page.goto(site.url)
  await page.getByRole('region', { name: 'Find Us' }).scrollIntoViewIfNeeded()
  await page.locator('.leaflet-frame .leaflet-popup-content').waitFor()
  await page.goto(`${site.url}/admin`)
  const tabs = page.getByRole('tablist').first().getByRole('tab')
  await tabs.first().waitFor()
  for (const name of await tabs.allTextContents()) {
    await page.getByRole('tab', { name, exact: true }).first().click()
  }
  expect(await reports()).toEqual([])
})
