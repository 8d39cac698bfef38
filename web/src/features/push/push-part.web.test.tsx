import { pushTexts } from '@fellowship/schema/push/push.texts'
import { render, screen } from '@testing-library/react'
import { afterEach, expect, test, vi } from 'vitest'
import { PushPart } from './push-part.tsx'

afterEach(() => vi.unstubAllGlobals())

/** A browser that can show notifications, with this permission. */
function ableBrowser(permission: NotificationPermission): void {
  vi.stubGlobal('PushManager', class {})
  vi.stubGlobal('Notification', { permission })
  vi.stubGlobal('navigator', Object.create(navigator, { serviceWorker: { value: {} } }))
}

const choices = () => screen.queryAllByRole('radio').map((radio) => radio.closest('label')!.textContent)

test('points to the podcast feed without notification support', () => {
  render(<PushPart />)
  expect(screen.getByRole('group', { name: pushTexts.question }).textContent).toContain(pushTexts.unable)
  expect(choices()).toEqual([])
})

test("points an iPhone's tab to the Home Screen", () => {
  vi.stubGlobal('navigator', Object.create(navigator, { userAgent: { value: 'iPhone' } }))
  render(<PushPart />)
  expect(screen.getByText(pushTexts.homeScreenFirst)).toBeTruthy()
  expect(choices()).toEqual([])
})

test('shows where to allow blocked notifications', () => {
  ableBrowser('denied')
  render(<PushPart />)
  expect(screen.getByText(pushTexts.blocked)).toBeTruthy()
  expect(choices()).toEqual([])
})

test('no frequency is chosen at first', () => {
  ableBrowser('default')
  render(<PushPart />)
  expect(screen.getByText(pushTexts.hint)).toBeTruthy()
  expect(choices()).toEqual(['Never', 'Every teaching', 'Once a week, on Monday evening'])
  expect(screen.getByRole<HTMLInputElement>('radio', { name: 'Never' }).checked).toBe(true)
})
