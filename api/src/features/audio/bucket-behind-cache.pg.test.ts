import { describe, expect, test } from 'vitest'
import { contract } from '@fellowship/schema/contract'
import type { AnyEndpoint } from '@fellowship/schema/endpoint'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { faultProxy } from '../../testing/fault-proxy.ts'
import { longWav } from '../../testing/multipart.ts'
import { rawRequest } from '../../testing/raw-request.ts'
import { isNginxMissing, stockNginx } from '../../testing/stock-nginx.ts'
import { isSwiftMissing, startSwift } from '../../testing/swift.ts'
import { testApp } from '../../testing/test-app.ts'
import { testClient } from '../../testing/test-client.ts'

const isMissing = isSwiftMissing() || isNginxMissing()

describe.skipIf(isMissing)('recordings in a bucket, behind nginx as a cache,', async () => {
  if (isMissing) return
  const swift = await startSwift()
  // Stands for the CDN that has the bucket.
  const cdn = await faultProxy(() => swift.endpoint)
  const publicUrl = cdn.url + new URL(swift.publicUrl).pathname
  const app = await testApp({
    ...swift.forRecordings,
    S3_PUBLIC_URL: publicUrl,
    PUBLIC_URL: 'https://teaching.example.org',
  })
  const admin = await app.signedIn('admin')
  const wav = Buffer.concat([...longWav(8_000_000, 3)])
  const files = { audioFile: new File([new Uint8Array(wav)], '2026-11-22_Tane-Smith"Joy".wav') }
  const { teaching } = await call(uploads.smartUpload, { files }, admin)
  const audioUrl = teaching.audioUrl!
  const edge = await stockNginx(app.url, { cache: true })

  test('the cache asks once per address and redirects listeners', async () => {
    const addresses = ['/api/teachings', '/feed.xml', '/sitemap.xml', audioUrl]
    const answers: string[] = []
    for (let visitor = 0; visitor < 30; visitor += 1)
      for (const address of addresses) {
        const { status, headers } = await rawRequest(edge + address)
        if (address === audioUrl) expect([status, headers.location]).toEqual([302, publicUrl + audioUrl])
        else expect(status).toBe(200)
        answers.push(String(headers['x-cache']))
      }
    const hits = answers.filter((by) => by === 'HIT').length
    console.log(`the cache answered ${hits} of ${answers.length}`)
    expect(hits).toBe(29 * addresses.length)
    const heard = await fetch(edge + audioUrl, { headers: { range: 'bytes=1000-1999' } })
    expect([heard.status, new URL(heard.url).origin]).toEqual([206, cdn.url])
    expect(Buffer.from(await heard.arrayBuffer()).equals(wav.subarray(1000, 2000))).toBe(true)
  })

  // The bucket has neither a recording's entity tag nor CORS for requests with one.
  test('an interrupted save resumes by the recording’s ETag', async () => {
    const asked: string[] = []
    cdn.fault = ({ path }) => {
      asked.push(path)
      return { kind: 'none' }
    }
    const etag = `"${/[0-9a-f]{64}/.exec(audioUrl)![0]}"`
    const from = 3_000_000
    for (const _ of ['from the product', 'from the cache']) {
      const headers = { range: `bytes=${from}-`, 'if-range': etag }
      const rest = await rawRequest(`${edge}${audioUrl}?resume=1`, headers)
      expect([rest.status, rest.headers.etag]).toEqual([206, etag])
      expect(rest.body.equals(wav.subarray(from))).toBe(true)
    }
    expect(asked).toEqual([])
  })

  test('answers to signed-in users are not cached', async () => {
    const person = testClient(edge)
    for (const [name, value] of admin.cookies) person.cookies.set(name, value)
    const paths = Object.values(contract)
      .flatMap((feature) => Object.values(feature) as AnyEndpoint[])
      .filter(({ method, access }) => method === 'GET' && access !== 'everyone')
      .map(({ path }) => path.replace(/:\w+/g, String(teaching.id)))
    expect(paths.length).toBeGreaterThan(10)
    for (const path of [...paths, '/api/auth/user'])
      for (const _ of [1, 2]) {
        const answer = await person.fetch(edge + path, { signal: AbortSignal.timeout(60_000) })
        expect([path, answer.headers.get('x-cache')]).not.toEqual([path, 'HIT'])
        await answer.body?.cancel()
        const anyone = await rawRequest(edge + path)
        expect([path, anyone.headers['x-cache']]).not.toEqual([path, 'HIT'])
        if (path === '/api/auth/user') expect(anyone.body.toString()).not.toContain(admin.email)
        else expect([path, anyone.status]).toEqual([path, 401])
      }
  })
})
