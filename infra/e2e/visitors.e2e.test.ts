import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { synced } from './support/offline-steps.ts'
import { member } from './support/people.ts'
import { comesTo } from './support/screens.ts'
import { offlineErrors } from './support/upload-steps.ts'

const site = journey()

/** The places that hold traces of an earlier test. */
const traces = async (page: Page): Promise<string[]> => {
  const inPage = await page.evaluate(async () => {
    const databases = await indexedDB.databases()
    const found = {
      database: databases.some(({ name }) => name === 'trace'),
      cache: await caches.has('trace'),
      localStorage: localStorage.getItem('trace') !== null,
      sessionStorage: sessionStorage.getItem('trace') !== null,
      cookie: document.cookie.includes('trace='),
      script: 'trace' in globalThis,
      narrow: innerWidth < 1280,
      moves: matchMedia('(prefers-reduced-motion: no-preference)').matches,
      offline: !navigator.onLine,
      clipboard:
        (await navigator.permissions.query({ name: 'clipboard-read' as PermissionName })).state === 'granted',
    }
    return Object.entries(found).flatMap(([name, there]) => (there ? [name] : []))
  })
  const cookies = await page.context().cookies()
  return [...inPage, ...cookies.filter(({ name }) => name === 'sid').map(() => 'session')]
}

describe('a browser reused between tests', () => {
  const all = [
    'database',
    'cache',
    'localStorage',
    'sessionStorage',
    'cookie',
    'script',
    'narrow',
    'moves',
    'clipboard',
    'session',
  ]

  test('a test leaves traces in every storage', async () => {
    const page = await site.visit('/about', {
      as: member,
      allow: offlineErrors,
      viewport: { width: 360, height: 740 },
      reducedMotion: 'no-preference',
      permissions: ['clipboard-read'],
    })
    await synced(page)
    await page.addInitScript(() => Object.assign(globalThis, { trace: true }))
    await page.route('**/feed.xml?trace', (route) => route.fulfill({ body: 'held' }))
    await page.reload()
    await page.evaluate(async () => {
      localStorage.setItem('trace', 'left')
      sessionStorage.setItem('trace', 'left')
      document.cookie = 'trace=left; max-age=1000'
      await caches.open('trace')
      await new Promise((resolve) => (indexedDB.open('trace').onsuccess = resolve))
      await fetch('/feed.xml?trace')
    })
    await comesTo(() => traces(page), all)
    await page.context().setOffline(true)
    await comesTo(() => page.evaluate(() => navigator.onLine), false)
  })

  test('the next test finds a clean, cached site', async () => {
    const page = await site.visit('/about')
    expect(await traces(page)).toEqual([])
    expect(await page.evaluate(() => navigator.serviceWorker.controller !== null)).toBe(true)
    expect(await page.evaluate(async () => (await fetch('/feed.xml?trace')).text())).toContain('<rss')
    await page.getByRole('button', { name: 'Sign In', exact: true }).waitFor()
  })
})
