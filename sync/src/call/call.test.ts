import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { expect, test } from 'vitest'
import { call } from './call.ts'
import { NetworkError } from './call-error.ts'

test('who has waited long enough waits no longer for the token either, and the next call asks for it anew', async () => {
  let asked = 0
  const silent = () => {
    asked += 1
    return new Promise<Response>(() => {})
  }
  const transport = { fetch: silent, base: 'http://example.test' }
  const ask = () =>
    call(uploads.parseFilename, { body: { filename: 'a.mp3' }, signal: AbortSignal.timeout(20) }, transport)

  await expect(ask()).rejects.toBeInstanceOf(NetworkError)
  await expect(ask()).rejects.toBeInstanceOf(NetworkError)
  expect(asked).toBe(2)
})
