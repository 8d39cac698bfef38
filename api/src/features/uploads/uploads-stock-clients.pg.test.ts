import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { promisify } from 'node:util'
import { Upload, type DetailedError, type UploadOptions } from 'tus-js-client'
import { afterAll, beforeEach, expect, test } from 'vitest'
import { auth } from '@fellowship/schema/auth/auth.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import { fixture } from '../../testing/multipart.ts'
import { testApp } from '../../testing/test-app.ts'

const app = await testApp()
const person = await app.signedIn()
const token = (await call(auth.csrfToken, {}, person)).csrfToken
const cookie = [...person.cookies].map(([name, value]) => `${name}=${value}`).join('; ')
const wav = await fixture('speech.wav')
const list = () => call(teachings.list, {}, app.client())
const metadata = {
  filename: 'a.wav',
  title: 'Hope',
  speaker: 'John Smith',
  date: '2026-11-22',
  scriptureReference: 'Romans 8',
}
const folder = await mkdtemp(path.join(tmpdir(), 'stock-'))
afterAll(() => rm(folder, { recursive: true, force: true }))

beforeEach(async () => {
  await app.context.sql`delete from uploads`
  await app.context.sql`delete from teachings`
  app.context.changes.announce()
})

/** tus-js-client with the options of its manual. */
function upload(options: Partial<UploadOptions> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const client = new Upload(wav, {
      endpoint: `${app.url}/api/uploads`,
      headers: { cookie, 'x-csrf-token': token },
      metadata,
      chunkSize: 40_000,
      retryDelays: [0, 50, 100],
      onSuccess: () => resolve(client.url!),
      onError: reject,
      ...options,
    })
    client.start()
  })
}

test('tus-js-client does not retry a duplicate', async () => {
  await upload()
  const error = await upload({ metadata: { ...metadata, title: 'Else', date: '2026-01-01' } }).then(
    () => expect.fail('the upload succeeded'),
    (refused: unknown) => refused as DetailedError,
  )
  expect(error.originalResponse?.getStatus()).toBe(422)
  expect(JSON.parse(error.originalResponse!.getBody())).toMatchObject({ code: 'duplicate' })
  expect(await list()).toHaveLength(1)
})

test('tus-js-client publishes one teaching with its bytes', async () => {
  await upload()
  const rows = await list()
  expect(rows).toMatchObject([{ title: 'Hope', speaker: 'John Smith', date: '2026-11-22' }])
  const sent = await fetch(app.url + rows[0]!.audioUrl!)
  expect(Buffer.from(await sent.arrayBuffer()).equals(wav)).toBe(true)
})

test('tus-js-client resumes an aborted upload', async () => {
  const url = await new Promise<string>((resolve, reject) => {
    const client = new Upload(wav, {
      endpoint: `${app.url}/api/uploads`,
      headers: { cookie, 'x-csrf-token': token },
      metadata,
      chunkSize: 40_000,
      retryDelays: null,
      onError: reject,
      onChunkComplete: () => void client.abort().then(() => resolve(client.url!), reject),
    })
    client.start()
  })
  expect(await list()).toEqual([])
  const sent: number[] = []
  expect(await upload({ uploadUrl: url, onProgress: (bytes) => sent.push(bytes) })).toBe(url)
  expect(Math.min(...sent)).toBeGreaterThanOrEqual(40_000)
  expect(await list()).toHaveLength(1)
})

test.skipIf(!existsSync('/usr/bin/curl'))('curl creates, sends and finalizes an upload', async () => {
  const file = path.join(folder, 'a.wav')
  await writeFile(file, wav)
  const curl = async (...args: string[]) => {
    const common = ['-s', '-i', '-H', `Cookie: ${cookie}`, '-H', `X-CSRF-Token: ${token}`]
    const { stdout } = await promisify(execFile)('curl', [...common, ...args])
    return stdout
  }
  const tus = ['-H', 'Tus-Resumable: 1.0.0']
  const begun = await curl(
    ...tus,
    '-H',
    `Upload-Length: ${wav.length}`,
    '-X',
    'POST',
    `${app.url}/api/uploads`,
  )
  const location = /^location: (\S+)/im.exec(begun)![1]!
  const arrived = await curl(
    ...tus,
    '-H',
    'Upload-Offset: 0',
    '-H',
    'Content-Type: application/offset+octet-stream',
    '-X',
    'PATCH',
    '--data-binary',
    `@${file}`,
    app.url + location,
  )
  expect(arrived).toMatch(new RegExp(`^HTTP/1.1 204[^]*upload-offset: ${wav.length}`, 'i'))
  const json = ['-H', 'Content-Type: application/json', '-d', JSON.stringify(metadata)]
  expect(await curl(...json, `${app.url}${location}/finalize`)).toMatch(/^HTTP\/1.1 200/)
  expect(await list()).toMatchObject([{ title: 'Hope' }])
})
