import { describe, expect, test } from 'vitest'
import { aTeaching } from '../testing/builders.ts'
import { teachingPath } from '../teachings/teaching-address.ts'
import { isPushEndpoint } from './push.contract.ts'
import { anyMessage, pushMessage, readPushMessage } from './push-message.ts'

describe('an endpoint is refused', () => {
  test.each([
    'push.example.org/x',
    'http://push.example.org/x',
    'https://push.example.org:8443/x',
    'https://me:word@push.example.org/x',
    'https://push.example.org\\@10.0.0.1/x',
    'https://push.example.org/a b',
    'https://push.exam\nple.org/x',
    ' https://push.example.org/x',
    'https://localhost/x',
    'https://router/x',
    'https://printer.local/x',
    'https://db.internal/x',
    'https://127.0.0.1/x',
    'https://10.0.0.1/x',
    'https://169.254.169.254/latest',
    'https://2130706433/x',
    'https://0x7f.1/x',
    'https://[::1]/x',
    'https://[fd00::1]/x',
    'javascript:alert(1)',
  ])('%s', (text) => {
    expect(isPushEndpoint(text)).toBe(false)
  })
})

test.each([
  'https://fcm.googleapis.com/fcm/send/abc:def',
  'https://updates.push.services.mozilla.com/wpush/v2/gAAA',
  'https://web.push.apple.com/QGuQ',
  'https://wns2-par02p.notify.windows.com/w/?token=a%2fb',
])('an endpoint of today’s browsers is accepted: %s', (text) => {
  expect(isPushEndpoint(text)).toBe(true)
})

describe('a message', () => {
  const hope = aTeaching({ title: 'Hope_in_Christ', speaker: 'Jane Doe' })

  test('one teaching gives its title, speaker and page', () => {
    const message = pushMessage([hope])
    expect(message.body).toBe('Hope in Christ · Jane Doe')
    expect(message.path).toBe(teachingPath(hope))
    expect(readPushMessage(JSON.stringify(message))).toEqual(message)
  })

  test('five hundred teachings fit into one message', () => {
    const long = aTeaching({ title: '한'.repeat(255), speaker: '한'.repeat(255) })
    const message = pushMessage(Array.from({ length: 500 }, () => long))
    expect(message.body).toMatch(/^500 new teachings: 한+…, 한+…, …$/)
    expect(message.path).toBe('/teaching?show=new')
    expect(Buffer.byteLength(JSON.stringify(message))).toBeLessThan(3_993)
    expect(Buffer.byteLength(JSON.stringify(pushMessage([long])))).toBeLessThan(3_993)
  })

  test.each([
    undefined,
    '',
    'not JSON',
    'null',
    '{"title":"x"}',
    JSON.stringify({ title: 'x', body: 'x', tag: 'x', path: 'https://evil.example/' }),
    JSON.stringify({ title: 'x', body: 'x', tag: 'x', path: '//evil.example/' }),
    JSON.stringify({ title: 'x', body: 'x', tag: 'x', path: '/\\evil.example/' }),
    JSON.stringify({ title: 'x', body: 7, tag: 'x', path: '/' }),
  ])('an unreadable message becomes the general one: %j', (text) => {
    expect(readPushMessage(text)).toEqual(anyMessage())
  })
})
