import { stat } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { uuidv7 } from '@fellowship/sync/protocol/uuid'
import { databaseAddress } from './testing/database-address.ts'
import {
  examples,
  exampleSite,
  fetchThrough,
  nginxWithTls,
  type ExampleProxy,
} from './testing/example-proxies.ts'
import { longWav } from './testing/long-wav.ts'
import { refusal } from './testing/test-client.ts'
import { startServer } from './testing/server-process.ts'
import { isNginxMissing } from './testing/stock-nginx.ts'
import { testApp, testClient } from './testing/test-app.ts'
import { testDatabase } from './testing/test-db.ts'
import { tusClient } from './testing/tus.ts'

const site = `https://${exampleSite}`
/** Just below the limit of uploads. */
const bytes = 100 * 2 ** 20 - 64 * 1024

for (const { name, isMissing, start } of examples)
  describe.skipIf(isMissing)(`behind ${name} as its example has it`, async () => {
    if (isMissing) return
    const app = await testApp({ PUBLIC_URL: site, TRUST_PROXY: '1' })
    const proxy = await start(app.url)
    const send = fetchThrough(proxy)

    test('http redirects to https and HSTS is set', async () => {
      const answer = await fetch(`${proxy.http}/about?a=b`, {
        redirect: 'manual',
        headers: { host: exampleSite },
      })
      expect([301, 308]).toContain(answer.status)
      const secure = await send(`${site}/api/teachings`)
      expect([secure.status, secure.headers.get('strict-transport-security')]).toEqual([
        200,
        'max-age=31536000',
      ])
    })

    test('an upload of 100 MB streams through the proxy', async () => {
      const person = await signedInThrough(app, proxy)
      const heard = await listen(send)
      const id = uuidv7(Date.now())
      const tus = tusClient(person, (await call(auth.csrfToken, {}, person)).csrfToken)
      await tus.create(bytes, { jobId: id, filename: '2026-11-22_John-Smith"Hope".wav' })
      const partial = path.join(app.dataDir, 'uploads', id)
      const arrived = () =>
        stat(partial).then(
          ({ size }) => size,
          () => 0,
        )
      let seen = 0
      const recording = longWav(bytes)
      let sent = 0
      const body = new ReadableStream<Uint8Array>({
        async pull(controller) {
          // If a proxy buffers the body, it waits for the rest of it.
          if (sent > 20e6) await expect.poll(arrived).toBeGreaterThan(sent - 20e6)
          const { value } = recording.next() as IteratorResult<Buffer, undefined>
          if (!value) {
            seen = await arrived()
            return controller.close()
          }
          sent += value.length
          controller.enqueue(value)
        },
      })
      const headers = { 'content-length': String(bytes) }
      expect(await tus.patch(id, 0, body, headers)).toMatchObject({ status: 204, offset: bytes })
      expect(seen).toBeGreaterThan(bytes - 25e6)
      const fields = { title: 'Hope', speaker: 'John Smith', date: '2026-11-22', scriptureReference: '' }
      const { teaching } = await call(uploads.finalize, { params: { id }, body: fields }, person)
      await expect.poll(heard).toBeGreaterThan(0)
      const part = await send(site + teaching.audioUrl!, { headers: { range: 'bytes=1000-1999' } })
      expect([part.status, (await part.arrayBuffer()).byteLength]).toEqual([206, 1000])
    })

    test('counts wrong passwords by the real client address', async () => {
      const wrong = async (from: string, at: number) => {
        const forged = testClient(site, { 'x-forwarded-for': `203.0.113.${at}` }, fetchThrough(proxy, from))
        const body = { email: `x${at}@example.org`, password: 'wrong' }
        return (await refusal(call(auth.login, { body }, forged))).code
      }
      for (let at = 0; at < 20; at += 1) expect(await wrong('127.0.0.2', at)).not.toBe('rate_limited')
      expect(await wrong('127.0.0.2', 20)).toBe('rate_limited')
      expect(await wrong('127.0.0.3', 21)).not.toBe('rate_limited')
    })
  })

const isRoot = process.getuid?.() === 0
/** A worker has the umask of its process, and cannot change it. */
const ownerOnly = "import{isMainThread}from'node:worker_threads';isMainThread&&process.umask(0o077)"

// Only root can start nginx as another user.
test.skipIf(isNginxMissing() || !isRoot)('nginx sends recordings out of a private data folder', async () => {
  const { place } = await testDatabase()
  const app = await testApp()
  const server = await startServer(app.dataDir, {
    DATABASE_URL: (await databaseAddress(place)).url,
    AUDIO_ACCEL: '/recordings/',
    TRUST_PROXY: '1',
    // As in the service unit.
    NODE_OPTIONS: `--import=data:text/javascript,${ownerOnly}`,
  })
  onTestFinished(() => server.kill())
  const recordings = path.join(app.dataDir, 'audio')
  const send = fetchThrough(await nginxWithTls(server.url, { recordings, user: 'www-data' }))
  const recording = Buffer.concat([...longWav(600_000)])
  const files = { audioFile: new File([recording], '2026-11-22_John-Smith"Hope".wav') }
  const { teaching } = await call(uploads.smartUpload, { files }, await server.signIn())
  const whole = await send(site + teaching.audioUrl!)
  // The product's own tag is the name of the recording.
  const tag = whole.headers.get('etag')!
  expect([whole.status, teaching.audioUrl!.includes(tag.slice(1, -1))]).toEqual([200, false])
  expect(Buffer.from(await whole.arrayBuffer()).equals(recording)).toBe(true)
})

async function signedInThrough(app: Awaited<ReturnType<typeof testApp>>, proxy: ExampleProxy) {
  const { email, password } = await app.signedIn()
  const person = testClient(site, { origin: site }, fetchThrough(proxy))
  await call(auth.login, { body: { email, password } }, person)
  expect([...person.cookies.keys()]).toContain('__Host-sid')
  return person
}

/** Counts the events that a device receives after it begins to listen. */
async function listen(send: typeof fetch): Promise<() => number> {
  const over = new AbortController()
  onTestFinished(() => over.abort())
  const { body } = await send(`${site}/api/sync/events`, { signal: over.signal })
  let heard = 0
  let isOpen = false
  const reading = (async () => {
    for await (const text of body!.pipeThrough(new TextDecoderStream())) {
      isOpen = true
      heard += text.split('event: changed').length - 1
    }
  })()
  reading.catch(() => undefined)
  await expect.poll(() => isOpen).toBe(true)
  return () => heard
}
