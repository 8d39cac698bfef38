import { series } from '@fellowship/schema/series/series.contract'
import { call } from '@fellowship/sync/call/call'
import type { Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { administrator } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { administration, comesTo, whenStarted } from './support/screens.ts'

const site = journey()
let paths: readonly string[]

beforeAll(async () => {
  const fields = { title: 'Hope in Christ', speaker: 'Jane Doe', date: '2026-03-01' }
  const { uid } = await site.add(mp3('a.mp3', { bytes: 400_000 }), {
    ...fields,
    scriptureReference: 'Romans 8:28-39',
  })
  const body = { title: 'Hope', description: '', teachings: [uid] }
  const { slug } = await call(series.create, { body }, await site.session())
  const open = ['/', '/about', '/teaching', '/browse', '/events', '/listening', '/reset-password']
  const found = ['/speakers/jane-doe', '/books/romans', `/series/${slug}`, `/teaching?t=${uid}`]
  paths = [...open, ...found, ...administration.map(({ path }) => path)]
})

/** The controls whose room, with that of their pseudo-elements, is less than this many pixels high. */
const smallOnes = (page: Page, least: number): Promise<string[]> =>
  page.evaluate((pixels) => {
    const roomOf = (control: Element): number => {
      const { height } = control.getBoundingClientRect()
      const { position, top, bottom } = getComputedStyle(control, '::after')
      if (position !== 'absolute') return height
      const around = getComputedStyle(control).position === 'static' && (control as HTMLElement).offsetParent
      return (around ? around.clientHeight : height) - Number.parseFloat(top) - Number.parseFloat(bottom)
    }
    return (
      [...document.querySelectorAll('a[href], button, select, summary, textarea, input, [role=tab]')]
        .filter((control) => control.checkVisibility({ visibilityProperty: true, opacityProperty: true }))
        .filter((control) => control.getBoundingClientRect().width > 1 && !control.closest('label'))
        // The label of a box is its room; the credit in the corner of a map is no control of this site.
        .filter(
          (control) => !control.matches('[type=checkbox], [type=radio], .leaflet-control-attribution *'),
        )
        .filter((control) => roomOf(control) < pixels - 0.6)
        .map((control) => `${control.getAttribute('aria-label') ?? control.textContent}: ${roomOf(control)}`)
    )
  }, least)

test.each([
  ['44 px on a phone', 44, { viewport: { width: 360, height: 740 }, hasTouch: true, isMobile: true }],
  ['24 px on a desktop', 24, { viewport: { width: 1280, height: 800 } }],
])(
  'every control has %s',
  async (_, least, options) => {
    const page = await site.visit('/', { ...options, as: administrator })
    for (const path of paths) {
      await page.goto(site.url + path)
      // The background work begins with the first sign of a person.
      await page.keyboard.press('Shift')
      await whenStarted(page)
      await page.getByRole('heading', { level: 1 }).waitFor()
      await comesTo(async () => ({ path, small: await smallOnes(page, least) }), { path, small: [] })
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(overflow, path).toBeLessThanOrEqual(0)
    }
  },
  300_000,
)
