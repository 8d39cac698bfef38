import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { finished } from 'node:stream/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { elders } from '@fellowship/schema/elders/elders.contract'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { system } from '@fellowship/schema/system/system.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { faultProxy } from '../../testing/fault-proxy.ts'
import { fixture, longWav } from '../../testing/multipart.ts'
import { rawRequest } from '../../testing/raw-request.ts'
import { plainPng } from '../../testing/sample-pictures.ts'
import { isSwiftMissing, startSwift } from '../../testing/swift.ts'
import { testApp, type TestClient } from '../../testing/test-app.ts'
import { planBackup, writeBackup } from '../backup/backup-plan.ts'
import { restore } from '../backup/restore.ts'
import { checkRecordingsAtStart } from './audio.ts'

const add = async (person: TestClient, bytes: Buffer, name: string) => {
  const files = { audioFile: new File([new Uint8Array(bytes)], name) }
  return (await call(uploads.smartUpload, { files }, person)).teaching
}

describe.skipIf(isSwiftMissing())('recordings in a bucket', async () => {
  if (isSwiftMissing()) return
  const swift = await startSwift()
  const toSwift = await faultProxy(() => swift.endpoint)
  const env = {
    S3_ENDPOINT: toSwift.url,
    S3_BUCKET: swift.bucket,
    S3_ACCESS_KEY_ID: swift.accessKeyId,
    S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
  }
  const app = await testApp(env)
  const admin = await app.signedIn('admin')
  const mp3 = await fixture('cbr.mp3')
  const wav = Buffer.concat([...longWav(9_000_000, 9)])
  const small = await add(admin, mp3, '2026-11-22_Tane-Smith"Hope".mp3')
  let parts = 0
  toSwift.fault = ({ method }) =>
    method === 'PUT' && (parts += 1) === 2 ? { kind: 'lost answer' } : { kind: 'none' }
  const long = await add(admin, wav, '2026-11-15_Mary-Smith"Long".wav')
  toSwift.fault = () => ({ kind: 'none' })
  const sha256 = createHash('sha256').update(mp3).digest('hex')
  const tag = `"${sha256}"`
  const address = app.url + small.audioUrl!

  test('an upload leaves no file on the disk', async () => {
    for (const folder of ['audio', 'images', 'staging'])
      expect(await readdir(path.join(app.dataDir, folder))).toEqual([])
  })

  describe('through the product', () => {
    test('refuses a range beyond the end', async () => {
      const { status, headers } = await rawRequest(address, { range: `bytes=${mp3.length}-` })
      expect([status, headers['content-range']]).toEqual([416, `bytes */${mp3.length}`])
    })

    test.each([
      ['the whole', undefined, 200, 0, mp3.length],
      ['a range', 'bytes=100-299', 206, 100, 300],
      ['the rest', `bytes=${mp3.length - 10}-`, 206, mp3.length - 10, mp3.length],
      ['the last bytes', 'bytes=-7', 206, mp3.length - 7, mp3.length],
    ])('%s returns the exact bytes', async (_, range, status, from, to) => {
      const answer = await rawRequest(address, range ? { range } : {})
      expect(answer.status).toBe(status)
      expect(answer.headers).toMatchObject({
        etag: tag,
        'content-type': 'audio/mpeg',
        'accept-ranges': 'bytes',
        'content-length': String(to - from),
      })
      expect(answer.body.equals(mp3.subarray(from, to))).toBe(true)
    })

    test('joins a recording stored in parts, one of which was sent twice', async () => {
      expect(parts).toBe(3)
      const { body } = await rawRequest(app.url + long.audioUrl!)
      expect(body.equals(wav)).toBe(true)
    })

    test('HEAD, If-None-Match and If-Range work as from the disk', async () => {
      const head = await rawRequest(address, {}, 'HEAD')
      expect([head.status, head.headers['content-length'], head.body.length]).toEqual([
        200,
        String(mp3.length),
        0,
      ])
      expect((await rawRequest(address, { 'if-none-match': tag })).status).toBe(304)
      const range = 'bytes=0-9'
      expect((await rawRequest(address, { range, 'if-range': tag })).status).toBe(206)
      expect((await rawRequest(address, { range, 'if-range': '"another"' })).status).toBe(200)
    })

    test('a download starts with its tag, also in ranges', async () => {
      const whole = await rawRequest(`${address}?download=1`)
      expect(whole.body.subarray(0, 3).toString()).toBe('ID3')
      expect(whole.body.subarray(-1000).equals(mp3.subarray(-1000))).toBe(true)
      const { body } = await rawRequest(`${address}?download=1`, { range: 'bytes=5-5000' })
      expect(body.equals(whole.body.subarray(5, 5001))).toBe(true)
    })

    test('a WAV download ends with its tags, also in ranges', async () => {
      const whole = await rawRequest(`${app.url}${long.audioUrl!}?download=1`)
      const { length } = whole.body
      expect([length > wav.length, whole.headers['content-length']]).toEqual([true, String(length)])
      expect(whole.body.subarray(100, wav.length).equals(wav.subarray(100))).toBe(true)
      const range = `bytes=10-${length - 10}`
      const { body } = await rawRequest(`${app.url}${long.audioUrl!}?download=1`, { range })
      expect(body.equals(whole.body.subarray(10, -9))).toBe(true)
    })

    test('an unreachable store returns 503 with Retry-After, then plays', async () => {
      toSwift.fault = () => ({ kind: 'status', status: 503 })
      onTestFinished(() => void (toSwift.fault = () => ({ kind: 'none' })))
      const { status, headers } = await rawRequest(address)
      expect([status, headers['retry-after']]).toEqual([503, '5'])
      toSwift.fault = () => ({ kind: 'none' })
      expect((await rawRequest(address)).status).toBe(200)
    }, 120_000)

    test('stores and shows a photo', async () => {
      const body = { name: 'Ana', role: 'Elder', shortBio: 'S', extendedBio: 'L', displayOrder: 1 }
      const { id } = await call(elders.create, { body }, admin)
      const photo = new Blob([new Uint8Array(plainPng(1000, 1250))])
      const { elder } = await call(elders.photo, { params: { id }, files: { photo } }, admin)
      const { status, headers } = await rawRequest(app.url + elder.imageUrl!)
      expect([status, headers['content-type']]).toEqual([200, 'image/webp'])
      expect(await readdir(path.join(app.dataDir, 'images'))).toEqual([])
    })
  })

  test('refuses an upload if the store fails, without leftovers', async () => {
    toSwift.fault = ({ method }) => (method === 'PUT' ? { kind: 'status', status: 503 } : { kind: 'none' })
    onTestFinished(() => void (toSwift.fault = () => ({ kind: 'none' })))
    const other = Buffer.concat([...longWav(300_000, 3)])
    await expect(add(admin, other, '2026-11-01_Ben-Smith"Lost".wav')).rejects.toMatchObject({ status: 503 })
    toSwift.fault = () => ({ kind: 'none' })
    expect((await call(teachings.list, {}, admin)).map(({ title }) => title)).not.toContain('Lost')
    expect(await readdir(path.join(app.dataDir, 'staging'))).toEqual([])
    const again = await add(admin, other, '2026-11-01_Ben-Smith"Lost".wav')
    expect((await rawRequest(app.url + again.audioUrl!)).body.equals(other)).toBe(true)
  }, 120_000)

  test('the start finds a damaged object; a new upload repairs it', async () => {
    const name = small.audioUrl!.slice('/audio/'.length)
    const { storage, sql } = app.context
    const damaged = await storage.stage()
    const before = await storage.stat('audio', name)
    await damaged.write([Buffer.alloc(mp3.length - 1, 7)])
    // As a failing store would.
    await storage.settle(damaged, 'audio', name)
    await damaged.discard()
    expect((await storage.stat('audio', name))!.version).not.toBe(before!.version)
    await checkRecordingsAtStart(app.context)
    const faulty = await sql`select fault from recording_checks where sha256 = ${sha256}`
    expect(faulty).toEqual([{ fault: 'damaged' }])
    await expect(add(admin, mp3, '2026-11-22_Tane-Smith"Hope".mp3')).rejects.toMatchObject({ status: 409 })
    expect((await rawRequest(address)).body.equals(mp3)).toBe(true)
    expect((await storage.withPath('audio', name, (file) => readFile(file)))!.equals(mp3)).toBe(true)
    expect(await readdir(path.join(app.dataDir, 'staging'))).toEqual([])
  })

  test('recordings still on the disk play, and System Info shows them', async () => {
    const name = `${'a'.repeat(64)}.mp3`
    await writeFile(path.join(app.dataDir, 'audio', name), 'still here')
    const file = (await app.context.storage.open('audio', name))!
    expect(await file.handle!.readFile('utf8')).toBe('still here')
    await file.close()
    expect(await app.context.storage.remove('audio', name)).toBe(true)
    const { storage } = await call(system.info, {}, admin)
    expect(storage).toBe(`Bucket recordings at ${new URL(toSwift.url).host}`)
  })

  test('start check and backup plan list the bucket once', async () => {
    const asked: string[] = []
    toSwift.fault = ({ method, path: where }) => {
      if (where.includes('/audio/') || where.includes('prefix=audio')) asked.push(method)
      return { kind: 'none' }
    }
    onTestFinished(() => void (toSwift.fault = () => ({ kind: 'none' })))
    await checkRecordingsAtStart(app.context)
    expect(asked).toEqual(['GET'])
    await planBackup(app.context)
    expect(asked.filter((method) => method === 'HEAD')).toEqual([])
  })

  test('restores a bucket’s backup into an empty bucket and disk', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'bucket-backup-'))
    onTestFinished(() => rm(folder, { recursive: true, force: true }))
    const file = path.join(folder, 'backup.zip')
    const target = createWriteStream(file)
    const plan = await planBackup(app.context)
    expect(plan.missing).toEqual([])
    await writeBackup(plan, target)
    target.end()
    await finished(target)
    const onDisk = await testApp()
    await restore(onDisk.context, file)
    expect((await rawRequest(onDisk.url + long.audioUrl!)).body.equals(wav)).toBe(true)
    for (const name of [small, long].map(({ audioUrl }) => audioUrl!.slice('/audio/'.length)))
      await app.context.storage.remove('audio', name)
    await copyFile(file, path.join(folder, 'again.zip'))
    await restore(app.context, path.join(folder, 'again.zip'), { replace: true })
    expect((await rawRequest(app.url + long.audioUrl!)).body.equals(wav)).toBe(true)
  }, 120_000)

  describe('with a public address', async () => {
    const led = await testApp({ ...env, S3_PUBLIC_URL: swift.publicUrl })
    const person = await led.signedIn()
    const { audioUrl } = await add(person, await fixture('vbr-xing.mp3'), '2026-11-22_Tane-Smith"Joy".mp3')
    const recording = await fixture('vbr-xing.mp3')

    test('redirects to the bucket, with type and CORS headers', async () => {
      const { status, headers } = await rawRequest(led.url + audioUrl!, { range: 'bytes=0-99' })
      expect([status, headers.location]).toEqual([302, swift.publicUrl + audioUrl!])
      expect(headers['access-control-allow-origin']).toBe('*')
      const there = await rawRequest(headers.location!, {
        range: 'bytes=10-99',
        origin: 'https://church.example.org',
      })
      expect(there.status).toBe(206)
      expect(there.headers).toMatchObject({
        'content-type': 'audio/mpeg',
        'access-control-allow-origin': '*',
      })
      expect(there.body.equals(recording.subarray(10, 100))).toBe(true)
    })

    test('serves downloads, resumed saves and revalidations itself', async () => {
      const etag = `"${/[0-9a-f]{64}/.exec(audioUrl!)![0]}"`
      expect((await rawRequest(`${led.url}${audioUrl}?download=1`)).status).toBe(200)
      const rest = await rawRequest(led.url + audioUrl!, { range: 'bytes=10-', 'if-range': etag })
      expect([rest.status, rest.headers.etag]).toEqual([206, etag])
      expect((await rawRequest(led.url + audioUrl!, { 'if-none-match': etag })).status).toBe(304)
    })

    test('serves a recording that is not in the bucket yet', async () => {
      const { storage } = led.context
      const name = audioUrl!.slice('/audio/'.length)
      await storage.remove('audio', name)
      await writeFile(path.join(led.dataDir, 'audio', name), recording)
      const { status, body } = await rawRequest(led.url + audioUrl!, {
        range: 'bytes=0-9',
        'if-range': '"x"',
      })
      expect([status, body.equals(recording)]).toEqual([200, true])
    })

    test('the CSP allows only audio from the bucket', async () => {
      const { headers } = await rawRequest(`${led.url}/api/health/live`)
      const policy = String(headers['content-security-policy'])
      const { origin } = new URL(swift.publicUrl)
      expect(policy).toContain(`media-src 'self' blob: ${origin};`)
      expect(policy).toContain(`connect-src 'self' ${origin};`)
      expect(policy.split(origin)).toHaveLength(3)
    })
  })
})
