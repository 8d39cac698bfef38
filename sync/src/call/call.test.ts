import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { expect, test } from 'vitest'
import { call } from './call.ts'
import { NetworkError } from './call-error.ts'

test('given a CSRF token request that hangs, each call times out and the next requests the token again', async () => {
  let tokenRequests = 0
  const hangingFetch = () => {
    tokenRequests += 1
    return new Promise<Response>(() => {})
  }
  const transport = { fetch: hangingFetch, base: 'http://example.test' }
  const makeCall = () =>
    call(uploads.parseFilename, { body: { filename: 'a.mp3' }, signal: AbortSignal.timeout(20) }, transport)

  await expect(makeCall()).rejects.toBeInstanceOf(NetworkError)
  await expect(makeCall()).rejects.toBeInstanceOf(NetworkError)
  expect(tokenRequests).toBe(2)
})
