import type { Locator, Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { journey } from './support/journey.ts'
import { popovers, reference, strayings } from './support/popovers.ts'
import { comesTo } from './support/screens.ts'
import { inSoak, nightly, nightlySuite } from './support/in-soak.ts'

const site = journey()

const boxOf = async (locator: Locator) => (await locator.boundingBox())!

const sizes: readonly (readonly [number, number])[] = [
  [1280, 800],
  [320, 480],
  ...(inSoak
    ? ([
        [768, 900],
        [360, 640],
      ] as const)
    : []),
]

/** Opens About and waits until its references are interactive. */
async function about(options: Parameters<typeof site.visit>[1] = {}): Promise<Page> {
  const page = await site.visit('/about', { reducedMotion: 'reduce', ...options })
  await reference(page, '2 Timothy 3:16-17').waitFor()
  return page
}

nightlySuite('a passage popover stays closed', () => {
  test('only references open, and only on request', async () => {
    const page = await about()
    // Those of the quotes and of the beliefs are made buttons one after the other.
    await comesTo(() => page.getByRole('main').getByRole('button').count(), 3 + 16)
    expect(await popovers(page).count()).toBe(0)
  })

  test('closes 150 ms after the pointer leaves', async () => {
    const page = await about()
    await reference(page, 'Deuteronomy 6:4').hover()
    await popovers(page).waitFor()
    // Measured in the page: a busy machine only makes it longer.
    await page.evaluate(() => {
      const seen = { left: 0, gone: 0 }
      Object.assign(globalThis, { seen })
      document.addEventListener('pointerout', () => (seen.left ||= performance.now()), { capture: true })
      new MutationObserver(() => {
        if (!document.querySelector('[role=dialog]')) seen.gone ||= performance.now()
      }).observe(document.body, { childList: true, subtree: true })
    })
    await page.mouse.move(5, 5)
    await popovers(page).waitFor({ state: 'detached' })
    const { left, gone } = await page.evaluate(
      () => (globalThis as unknown as { seen: { left: number; gone: number } }).seen,
    )
    expect(left).toBeGreaterThan(0)
    expect(gone - left).toBeGreaterThan(145)
  })
})

describe('with a pointer', () => {
  test('hovering, a click and the keyboard open and close it', async () => {
    const page = await about()
    await reference(page, '2 Timothy 3:16-17').hover()
    const popover = page.getByRole('dialog', { name: '2 Timothy 3:16-17' })
    await popover.getByText('All scripture is given by inspiration of God').waitFor()
    await popover.getByText('King James Version of 1769, which is in the public domain.').waitFor()
    await popover.hover()
    await page.waitForTimeout(400)
    expect(await popover.count()).toBe(1)
    await page.mouse.move(5, 5)
    await popover.waitFor({ state: 'detached' })

    const trigger = reference(page, '2 Timothy 3:16-17')
    const closers = [
      () => page.mouse.click(5, 5),
      () => page.keyboard.press('Escape'),
      () => popovers(page).getByRole('button', { name: 'Close' }).click(),
      () => trigger.click(),
    ]
    for (const close of closers) {
      await trigger.click()
      await popovers(page).waitFor()
      await comesTo(() => trigger.getAttribute('aria-expanded'), 'true')
      await page.mouse.move(5, 5)
      await page.waitForTimeout(400)
      expect(await popovers(page).count()).toBe(1)
      await close()
      await popovers(page).waitFor({ state: 'detached' })
      await comesTo(() => trigger.getAttribute('aria-expanded'), 'false')
    }

    await reference(page, 'Acts 2:42').focus()
    await page.keyboard.press('Tab')
    const focusedOne = reference(page, 'John 13:34-35')
    const itsPassage = page.getByRole('dialog', { name: 'John 13:34-35' })
    await itsPassage.waitFor()
    const described = await focusedOne.getAttribute('aria-describedby')
    expect(await page.locator(`[id="${described}"]`).textContent()).toContain('A new commandment')
    await page.keyboard.press('Escape')
    await itsPassage.waitFor({ state: 'detached' })
    expect(await focusedOne.evaluate((element) => element === document.activeElement)).toBe(true)
    await page.waitForTimeout(300)
    expect(await popovers(page).count()).toBe(0)

    await page.keyboard.press('Enter')
    await itsPassage.waitFor()
    expect(await itsPassage.evaluate((element) => element.contains(document.activeElement))).toBe(true)
    await page.keyboard.press('Escape')
    await itsPassage.waitFor({ state: 'detached' })
    expect(await focusedOne.evaluate((element) => element === document.activeElement)).toBe(true)
    expect(await popovers(page).count()).toBe(0)
  })

  nightly('hovering another reference closes a pinned popover', async () => {
    const page = await about()
    await reference(page, '2 Timothy 3:16-17').click()
    await page.getByRole('dialog', { name: '2 Timothy 3:16-17' }).waitFor()
    await reference(page, 'Romans 12:1-2').hover()
    await page.getByRole('dialog', { name: 'Romans 12:1-2' }).waitFor()
    expect(await popovers(page).count()).toBe(1)
  })
})

describe('position', () => {
  test('fits 384 px and stays 16 px inside, also offline', async () => {
    const page = await about({ allow: [/ERR_INTERNET_DISCONNECTED/] })
    for (const [width, height] of sizes) {
      await page.setViewportSize({ width, height })
      for (const name of ['Acts 2:42', '2 Timothy 3:16-17', 'John 1:1-14', 'Revelation 21:1-5']) {
        await reference(page, name).last().scrollIntoViewIfNeeded()
        await reference(page, name).last().click()
        await comesTo(() => strayings(page, height), [])
        await page.keyboard.press('Escape')
      }
    }
    await comesTo(() => page.evaluate(() => navigator.serviceWorker?.controller !== null), true)
    await page.context().setOffline(true)
    await page.reload()
    await comesTo(() => page.locator('blockquote').count(), 3)
    await reference(page, 'Colossians 1:18').click()
    await popovers(page).getByText('he is the head of the body').waitFor()
  })

  nightly.each([
    [1280, 800],
    [360, 300],
  ])('nothing covers the passage text at %i × %i', async (width, height) => {
    const page = await about({ viewport: { width, height } })
    await reference(page, '2 Timothy 3:16-17').first().click()
    const popover = popovers(page)
    await popover.waitFor()
    const ends = () =>
      popover.evaluate((panel) => {
        panel.scrollTop = panel.scrollHeight
        const [, words, line] = [...panel.children].map((part) => part.getBoundingClientRect())
        const inner = panel.getBoundingClientRect().top + panel.clientTop + panel.clientHeight
        return {
          isCovered: words!.bottom > line!.top + 1,
          belowLine: Math.round(inner - line!.bottom),
        }
      })
    await comesTo(ends, { isCovered: false, belowLine: 0 })
    await popover.evaluate((panel) => (panel.scrollTop = 0))
    await comesTo(async () => (await ends()).belowLine, 0)
  })

  nightly('follows its reference on scroll', async () => {
    const page = await about()
    const trigger = reference(page, 'Romans 3:23-24')
    await trigger.scrollIntoViewIfNeeded()
    await trigger.click()
    const gap = async () => Math.round((await boxOf(popovers(page))).y - (await boxOf(trigger)).y)
    await popovers(page).waitFor()
    await comesTo(() => page.evaluate(() => document.getAnimations().length), 0)
    const before = await gap()
    await page.evaluate(() => scrollBy({ top: -60, behavior: 'instant' }))
    await comesTo(gap, before)
  })
})

nightlySuite('keyboard, touch and screen reader', () => {
  test('Tab leaves a pinned popover, which closes', async () => {
    const page = await about()
    await reference(page, 'Acts 2:42').focus()
    await page.keyboard.press('Enter')
    await popovers(page).waitFor()
    await page.keyboard.press('Tab')
    expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toBe('Close')
    await page.keyboard.press('Tab')
    await comesTo(() => page.evaluate(() => document.activeElement?.textContent), 'John 13:34-35')
    expect(await page.getByRole('dialog', { name: 'Acts 2:42' }).count()).toBe(0)
  })

  test('a tap opens it and a tap outside closes it', async () => {
    const page = await about({ hasTouch: true, isMobile: true, viewport: { width: 360, height: 740 } })
    const trigger = reference(page, 'Ephesians 2:8-9')
    await trigger.scrollIntoViewIfNeeded()
    await trigger.tap()
    await popovers(page).getByText('For by grace are ye saved').waitFor()
    await page.waitForTimeout(400)
    expect(await popovers(page).count()).toBe(1)
    await page.touchscreen.tap(8, 8)
    await popovers(page).waitFor({ state: 'detached' })
  })
})
