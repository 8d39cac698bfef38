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

const iPhone =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)'

test.each([
  ['Safari', 'Version/17.5 Mobile/15E148 Safari/604.1', pushTexts.homeScreenFirst],
  ['Chrome', 'CriOS/126.0.6478.153 Mobile/15E148 Safari/604.1', pushTexts.homeScreenFirst],
  ['Facebook', 'Mobile/21F79 [FBAN/FBIOS;FBAV/465.0.0.31.109]', pushTexts.openInSafari],
])('%s of an iPhone points to the Home Screen', (_, rest, sentence) => {
  vi.stubGlobal('navigator', Object.create(navigator, { userAgent: { value: `${iPhone} ${rest}` } }))
  render(<PushPart />)
  expect(screen.getByText(sentence)).toBeTruthy()
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
