import { beforeAll, expect, test } from 'vitest'
import { installValidationMessages } from '../validation-messages.ts'
import { siteChanges } from './site.contract.ts'
import { siteTexts as texts } from './site.texts.ts'

beforeAll(installValidationMessages)

const week = { weekday: 'Sunday' } as const

test.each([
  [{ expect: 'x'.repeat(2_001) }, 'String must contain at most 2000 character(s)'],
  [{ forChildren: 'a\u0000b' }, 'Children must not hold control characters. Type it again.'],
  [{ phone: 'ask Ruth' }, texts.phoneInvalid],
  [{ phone: '0'.repeat(31) }, texts.phoneInvalid],
  [{ parking: 7 }, 'Expected string, received number'],
  [{ name: ' ' }, 'String must contain at least 2 character(s)'],
  [{ timeZone: 'Pacific/Bulls' }, texts.zoneInvalid],
  [{ language: 'en_NZ' }, texts.languageInvalid],
  [{ language: 'English' }, texts.languageInvalid],
  [{ contactEmail: 'elders' }, 'Invalid email address'],
  [{ accent: 'green' }, texts.accentInvalid],
  [{ versionLabel: '<b>' }, texts.versionInvalid],
  [{ map: { latitude: -91, longitude: 0, zoom: 16 } }, 'Number must be greater than or equal to -90'],
  [{ services: [{ ...week, time: '24:00', words: 'At midnight' }] }, texts.timeInvalid],
  [{ sftpWindow: { ...week, from: '14:00', to: '11:00' } }, texts.windowEmpty],
])('refuses %j: %s', (wrong, sentence) => {
  expect(siteChanges.safeParse(wrong).error?.issues.map(({ message }) => message)).toEqual([sentence])
})

test.each(['Pacific/Apia', 'Pacific/Chatham', 'Europe/Dublin', 'Asia/Kathmandu', 'America/Sao_Paulo'])(
  'accepts the time zone %s',
  (timeZone) => {
    expect(siteChanges.safeParse({ timeZone }).success).toBe(true)
  },
)
