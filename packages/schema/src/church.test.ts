import { expect, test } from 'vitest'
import { serviceTitle } from './church.ts'

const on = (weekday: 'Saturday' | 'Sunday', time = '10:00') => ({ weekday, time, words: '' })

test.each([
  ['one day', [on('Sunday')], 'Sunday Service'],
  ['two times of a day', [on('Sunday'), on('Sunday', '18:00')], 'Sunday Service'],
  ['two days', [on('Sunday'), on('Saturday')], 'Services'],
  ['no service', [], 'Services'],
])('names the services of %s', (_, services, title) => expect(serviceTitle(services)).toBe(title))
