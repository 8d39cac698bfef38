import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'
import { s3Client } from '@fellowship/api/machine/storage/s3-client'
import { faultProxy, type ProxyFault } from '@fellowship/api/testing/fault-proxy'
import { longWav } from '@fellowship/api/testing/multipart'
import { startServer } from '@fellowship/api/testing/server-process'
import { copyStarted } from '@fellowship/api/testing/started-folder'
import { isSwiftMissing, startSwift } from '@fellowship/api/testing/swift'
import type { TestClient } from '@fellowship/api/testing/test-client'

const wav = Buffer.concat([...longWav(12_000_000, 5)])
const add = (client: TestClient) =>
  call(
    uploads.smartUpload,
    { files: { audioFile: new File([new Uint8Array(wav)], '2026-11-22_John-Smith"Hope".wav') } },
    client,
  )

describe.skipIf(isSwiftMissing())(
  'a server that is killed while it stores a recording in a bucket',
  async () => {
    if (isSwiftMissing()) return
    const swift = await startSwift()
    const toSwift = await faultProxy(() => swift.endpoint)
    const bucket = s3Client(swift)
    const stored = async () => {
      const names: string[] = []
      for await (const { key } of bucket.list('audio/')) names.push(key)
      return names
    }

    test('a killed upload leaves no partial recording', async () => {
      const dataDir = await mkdtemp(path.join(tmpdir(), 'bucket-killed-'))
      await copyStarted(dataDir)
      onTestFinished(() => rm(dataDir, { recursive: true, force: true, maxRetries: 5 }))
      const start = () =>
        startServer(dataDir, {
          S3_ENDPOINT: toSwift.url,
          S3_BUCKET: swift.bucket,
          S3_ACCESS_KEY_ID: swift.accessKeyId,
          S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
        })
      let server = await start()
      onTestFinished(async () => void (await server.stop()))
      const kill = { kind: 'interrupt', after: Infinity, run: () => server.kill() } as const
      const none: ProxyFault = { kind: 'none' }
      const moments: Record<string, (method: string, where: string) => boolean> = {
        'the second part has arrived': (method, where) => method === 'PUT' && where.includes('partNumber=2'),
        'the object is whole, and its answer is lost': (method, where) =>
          method === 'POST' && where.includes('uploadId='),
      }
      for (const [moment, isIt] of Object.entries(moments)) {
        toSwift.fault = ({ method, path: where }) => (isIt(method, where) ? kill : none)
        await expect(add(await server.signIn()), moment).rejects.toThrow()
        await server.ended
        toSwift.fault = () => none
        server = await start()
        expect(await stored(), moment).toEqual([])
        expect(await readdir(path.join(dataDir, 'staging')), moment).toEqual([])
        expect(await call(teachings.list, {}, { fetch, base: server.url }), moment).toEqual([])
      }
      const { teaching } = await add(await server.signIn())
      // After the same kill a listener resumes at the same byte of the same recording.
      const isPlayed = (method: string, where: string) =>
        method === 'GET' && where.includes(teaching.audioUrl!)
      let heard!: () => void
      const isHeard = new Promise<void>((resolve) => (heard = resolve))
      const killWhenHeard = async () => {
        await isHeard
        await server.kill()
      }
      toSwift.fault = ({ method, path: where }) =>
        isPlayed(method, where) ? { kind: 'half answer', run: killWhenHeard } : none
      const answer = await fetch(server.url + teaching.audioUrl!)
      const begun = await untilBroken(answer, heard)
      expect(begun.length).toBeGreaterThan(0)
      expect(begun.length).toBeLessThan(wav.length)
      toSwift.fault = () => none
      server = await start()
      const rest = await fetch(server.url + teaching.audioUrl!, {
        headers: { range: `bytes=${begun.length}-`, 'if-range': answer.headers.get('etag')! },
      })
      expect(rest.status).toBe(206)
      expect(Buffer.concat([begun, Buffer.from(await rest.arrayBuffer())]).equals(wav)).toBe(true)
      expect(await readdir(path.join(dataDir, 'staging'))).toEqual([])
      // The cleanup of the next day aborts uploads in parts.
      expect(await bucket.abortUploads('audio/', new Date(Date.now() + 60_000))).toBe(1)
      expect(await stored()).toEqual([teaching.audioUrl!.slice(1)])
    }, 240_000)
  },
)

/**
 * The bytes that arrived before the connection broke.
 *
 * @param onBytes called with the first ones
 */
async function untilBroken(answer: Response, onBytes: () => void): Promise<Buffer> {
  const pieces: Uint8Array[] = []
  try {
    for await (const piece of answer.body as AsyncIterable<Uint8Array>) {
      pieces.push(piece)
      onBytes()
    }
  } catch {
    return Buffer.concat(pieces)
  }
  throw new Error('It did not break off.')
}
