import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { expect, test } from 'vitest'
import { call } from './call.ts'
import { NetworkError } from './call-error.ts'

test('a hanging token request times out and is repeated', async () => {
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
