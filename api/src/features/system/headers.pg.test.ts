import { expect, test } from 'vitest'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp({ PUBLIC_URL: 'https://teaching.example.org' })

test('every kind of answer has the same security headers', async () => {
  const person = await app.signedIn()
  const name = '2026-11-22_John-Smith"Hope".mp3'
  const files = { audioFile: new File([new Uint8Array(await fixture('cbr.mp3'))], name) }
  const { teaching } = await call(uploads.smartUpload, { files }, person)
  const answers: Record<string, Response> = {}
  const ask = async (what: string, path: string, init: RequestInit = {}) =>
    (answers[what] = await fetch(app.url + path, { redirect: 'manual', ...init }))
  const audio = teaching.audioUrl!
  await ask('a call', '/api/auth/user')
  await ask('a refused call', '/api/admin/users')
  await ask('an unknown call', '/api/nothing')
  await ask('a wrong method', '/feed.xml', { method: 'POST' })
  await ask('the list', '/api/teachings')
  await ask('the feed', '/feed.xml')
  await ask('the sitemap', '/sitemap.xml')
  await ask('robots.txt', '/robots.txt')
  await ask('a recording', audio)
  await ask('a part of a recording', audio, { headers: { range: 'bytes=0-1' } })
  await ask('a part beyond its end', audio, { headers: { range: 'bytes=999999999-' } })
  await ask('an unchanged recording', audio, {
    headers: { 'if-none-match': answers['a recording']!.headers.get('etag')! },
  })
  await ask('a missing recording', `/audio/${'0'.repeat(64)}.mp3`)
  await ask('a missing picture', '/images/nothing.webp')
  await ask('an event stream', '/api/sync/events', { method: 'HEAD' })
  await ask('the API description', '/api/openapi.json')
  const missing = Object.entries(answers).flatMap(([what, { headers }]) =>
    [
      'content-security-policy',
      'x-content-type-options',
      'x-frame-options',
      'referrer-policy',
      'cross-origin-resource-policy',
      'strict-transport-security',
    ]
      .filter((header) => !headers.has(header))
      .map((header) => `${what}: ${header}`),
  )
  expect(missing).toEqual([])
  const policy = answers['a call']!.headers.get('content-security-policy')!
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).not.toMatch(/unsafe-inline|unsafe-eval/)
})
