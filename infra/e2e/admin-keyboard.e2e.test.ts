import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { call } from '@fellowship/sync/call/call'
import type { Locator } from 'playwright-core'
import { beforeAll, expect } from 'vitest'
import { journey } from './support/journey.ts'
import { administrator, member } from './support/people.ts'
import { mp3 } from './support/recordings.ts'
import { comesTo, goWithin, row, whenStarted } from './support/screens.ts'
import { nightly } from './support/in-soak.ts'

const site = journey()

beforeAll(async () => {
  await site.add(mp3('a.mp3'), { title: 'Hope', speaker: 'Jane Doe', date: '2026-03-01' })
})

nightly('arrow keys switch tabs, Tab enters the panel', async () => {
  const page = await site.visit('/admin', { as: administrator })
  const tab = (name: string) => page.getByRole('tab', { name, exact: true })
  await tab('Content Management').focus()
  await page.keyboard.press('ArrowRight')
  await comesTo(() => tab('System Administration').getAttribute('aria-selected'), 'true')
  await page.keyboard.press('Tab')
  await hasFocus(tab('System Info'))
  await page.keyboard.press('End')
  await comesTo(() => tab('Activity').getAttribute('aria-selected'), 'true')
  await page.getByText('Who changed what, and when.').waitFor()
})

nightly('dialogs trap the focus and return it', async () => {
  const page = await site.visit('/', { as: administrator })
  for (const [path, opener, title] of [
    ['/admin?tab=content&part=elders', 'Add Elder', 'Add Elder'],
    ['/manage', 'Add User', 'Add User'],
    ['/manage', `Delete ${administrator.name}`, 'Delete User'],
  ] as const) {
    await goWithin(page, path)
    const button = page.getByRole('main').getByRole('button', { name: opener })
    await button.focus()
    await page.keyboard.press('Enter')
    const dialog = page.getByRole('dialog', { name: title })
    await dialog.waitFor()
    const stops = await dialog.locator('button, input, select, textarea').count()
    for (const key of ['Tab', 'Shift+Tab']) {
      for (let presses = 0; presses <= stops; presses++) {
        await page.keyboard.press(key)
        const inside = await dialog.evaluate((element) => element.contains(document.activeElement))
        expect([title, key, presses, inside]).toEqual([title, key, presses, true])
      }
    }
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await hasFocus(button)
  }
})

nightly('a pressed button keeps focus while its action runs', async () => {
  const page = await site.visit('/', { as: administrator })
  for (const [path, name] of [
    ['/admin?tab=system&part=info', 'Refresh Statistics'],
    ['/admin?tab=content&part=podcast', 'Test my feed'],
  ] as const) {
    await goWithin(page, path)
    const button = page.getByRole('main').getByRole('button', { name })
    await button.focus()
    const left = page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const pressed = document.activeElement!
          let frames = 0
          let lost = 0
          const look = () => {
            if (document.activeElement !== pressed) lost++
            if (++frames < 60) requestAnimationFrame(look)
            else resolve(lost)
          }
          requestAnimationFrame(look)
        }),
    )
    await page.keyboard.press('Enter')
    expect([name, await left]).toEqual([name, 0])
    await hasFocus(button)
  }
})

nightly('focus stays in place after a row is removed', async () => {
  await site.add(mp3('b.mp3'), { title: 'Gone', speaker: 'Jane Doe', date: '2026-03-02' })
  const page = await site.visit('/teaching', { as: administrator })
  await whenStarted(page)
  const press = async (control: Locator) => {
    await control.focus()
    await page.keyboard.press('Enter')
  }
  await press(page.getByRole('button', { name: 'Delete Gone' }))
  await press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }))
  await row(page, 'Gone').waitFor({ state: 'detached' })
  await hasFocus(row(page, 'Hope'))

  await goWithin(page, '/admin?tab=content&part=deleted')
  await press(page.getByRole('button', { name: 'Restore Gone' }))
  await page.getByRole('button', { name: 'Restore Gone' }).waitFor({ state: 'detached' })
  await focusIsWithin(page.getByRole('main'))

  await goWithin(page, '/manage')
  await press(page.getByRole('button', { name: `Delete ${member.name}` }))
  await press(page.getByRole('dialog').getByRole('button', { name: 'Delete' }))
  await page.getByRole('button', { name: `Delete ${member.name}` }).waitFor({ state: 'detached' })
  await hasFocus(page.getByRole('main').getByRole('listitem').last())

  // On a Sunday around noon the schedule has opened it.
  await call(sftp.stop, {}, await site.session())
  await goWithin(page, '/admin?tab=system&part=sftp')
  await press(page.getByRole('button', { name: 'Start Server' }))
  await hasFocus(page.getByRole('button', { name: 'Stop Server' }))
  await press(page.getByRole('button', { name: 'Edit Password' }))
  await hasFocus(page.getByLabel('New password'))
})

nightly('scrollable areas scroll with the keyboard', async () => {
  const page = await site.visit('/admin?tab=system&part=processes', {
    as: administrator,
    viewport: { width: 360, height: 740 },
  })
  const list = page.getByRole('region', { name: 'Processes, our own first' })
  // Not every browser makes scrollable areas focusable.
  expect(await list.evaluate(({ tabIndex }) => tabIndex)).toBe(0)
  await list.focus()
  // Shrunk, so that it scrolls however few rows there are.
  await list.evaluate((element) => (element.style.maxHeight = '3rem'))
  await page.keyboard.press('End')
  await comesTo(() => list.evaluate(({ scrollTop }) => scrollTop > 0), true)
})

const hasFocus = (control: Locator) =>
  comesTo(() => control.evaluate((element) => element === document.activeElement), true)
const focusIsWithin = (part: Locator) =>
  comesTo(() => part.evaluate((element) => element.contains(document.activeElement)), true)
