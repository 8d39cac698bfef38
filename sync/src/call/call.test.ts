import { sync } from '@fellowship/schema/sync/sync.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { describe, expect, test } from 'vitest'
import { addressOf, call } from './call.ts'
import { CallError, NetworkError } from './call-error.ts'

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

/** A transport with these answers in turn; each request for a token has an answer of its own. */
function served(...answers: (Response | Error)[]) {
  const sent: { path: string; init: RequestInit }[] = []
  const tokens = { asked: 0, answer: () => Response.json({ csrfToken: `token ${tokens.asked}` }) }
  const fetch = async (path: string | URL | Request, init: RequestInit = {}) => {
    if (path === '/api/csrf-token') {
      tokens.asked += 1
      return tokens.answer()
    }
    sent.push({ path: path as string, init })
    const answer = answers.shift()!
    if (answer instanceof Error) throw answer
    return answer
  }
  return { transport: { fetch, base: '' }, sent, tokens }
}
const refused = (status: number, code: string) =>
  Response.json({ success: false, error: 'Not now.', code }, { status })
const parsed = () =>
  Response.json({
    parsedData: { title: '', speaker: '', scriptureReference: '', date: '', isValid: true, errors: [] },
  })
const parse = ({ transport }: ReturnType<typeof served>, input: object = {}) =>
  call(uploads.parseFilename, { body: { filename: 'a.mp3' }, ...input }, transport)
const headersOf = ({ sent }: ReturnType<typeof served>) => sent.map(({ init }) => init.headers)

describe('a call that fails', () => {
  test('throws the status and the sentence of an error response', async () => {
    const at = served(refused(403, 'forbidden'))
    await expect(parse(at)).rejects.toMatchObject({ status: 403, sentence: 'Not now.' })
    expect(at.sent).toHaveLength(1)
  })

  test.each([
    ['a connection that breaks', new TypeError('failed'), NetworkError],
    ['a success that is no answer', new Response('<html>'), NetworkError],
    ['an abort of the caller', new DOMException('', 'AbortError'), DOMException],
    ['another error of the browser', new DOMException('', 'NotReadableError'), NetworkError],
  ])('throws the right error after %s', (_, answer, kind) =>
    expect(parse(served(answer))).rejects.toBeInstanceOf(kind),
  )

  test('repeats once with a new token if the first is stale', async () => {
    const at = served(refused(403, 'csrf'), parsed())
    await parse(at)
    expect(headersOf(at)).toMatchObject([{ 'x-csrf-token': 'token 1' }, { 'x-csrf-token': 'token 2' }])
    await expect(parse(served(refused(403, 'csrf'), refused(403, 'csrf')))).rejects.toMatchObject({
      code: 'csrf',
    })
  })

  test.each([false, true])('reports a refused token and asks again, with a signal: %s', async (signals) => {
    const at = served(parsed())
    const { answer } = at.tokens
    const input = signals ? { signal: new AbortController().signal } : {}
    at.tokens.answer = () => refused(503, 'busy')
    await expect(parse(at, input)).rejects.toBeInstanceOf(CallError)
    at.tokens.answer = () => {
      throw new TypeError('failed')
    }
    await expect(parse(at, input)).rejects.toBeInstanceOf(NetworkError)
    at.tokens.answer = answer
    await parse(at, input)
    expect(at.tokens.asked).toBe(3)
  })

  test('an aborted call sends nothing', async () => {
    const at = served(parsed())
    await expect(parse(at, { signal: AbortSignal.abort() })).rejects.toMatchObject({ name: 'AbortError' })
    expect(at.sent).toEqual([])
  })
})

test('sends JSON with the cached token, headers and options', async () => {
  const at = served(parsed(), parsed())
  const { signal } = new AbortController()
  await parse(at)
  await parse(at, { headers: { 'x-more': '1' }, keepalive: true, signal })
  expect(at.tokens.asked).toBe(1)
  const common = { method: 'POST', body: '{"filename":"a.mp3"}', credentials: 'same-origin' }
  const headers = {
    accept: 'application/json',
    'content-type': 'application/json',
    'x-csrf-token': 'token 1',
  }
  expect(at.sent).toEqual([
    { path: '/api/sermons/parse-filename', init: { ...common, headers } },
    {
      path: '/api/sermons/parse-filename',
      init: { ...common, headers: { ...headers, 'x-more': '1' }, keepalive: true, signal },
    },
  ])
})

test('a GET asks for no token and has no body', async () => {
  const at = served(Response.json({ mode: 'unknown' }))
  await call(sync.pull, { query: { schema: 2 } }, at.transport).catch(() => undefined)
  expect(at.tokens.asked).toBe(0)
  expect(at.sent[0]).toMatchObject({ path: '/api/sync?schema=2', init: { method: 'GET' } })
  expect(at.sent[0]!.init.body).toBeUndefined()
})

test('a multipart call sends defined fields, then files', async () => {
  const at = served(refused(400, 'validation'))
  const file = new File(['sound'], 'a.mp3')
  await call(
    uploads.smartUpload,
    { body: { title: 'Hope', speaker: undefined } as never, files: { audio: file, other: undefined } },
    at.transport,
  ).catch(() => undefined)
  const form = at.sent[0]!.init.body as FormData
  expect([...form.keys()]).toEqual(['title', 'audio'])
  expect(at.sent[0]!.init.headers).not.toHaveProperty('content-type')
})

test.each([
  [{ params: { id: 'a/b' } }, '/api/uploads/a%2Fb/finalize'],
  [{ params: { id: 1 }, query: { none: undefined } }, '/api/uploads/1/finalize'],
  [{ params: { id: 1 }, query: { q: 'a b', many: [1] } }, '/api/uploads/1/finalize?q=a+b&many=%5B1%5D'],
])('the address of %j is %s', (input, address) => {
  expect(addressOf(uploads.finalize, input as never)).toBe(address)
})
