import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, createServer, type AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { probeBucket } from '../../config/check-machine.ts'
import { blobStoreContract } from '../../testing/blob-store-contract.ts'
import { isSwiftMissing, startSwift } from '../../testing/swift.ts'
import { s3Client, S3Unreachable, type S3Client } from './s3-client.ts'
import { s3Requests } from './s3-request.ts'
import { s3BlobStore } from './s3-blob-store.ts'

describe.skipIf(isSwiftMissing())('with a real S3 server', async () => {
  const swift = isSwiftMissing() ? undefined! : await startSwift()
  const place = { ...swift, publicUrl: undefined }
  const quick = { firstDelayMs: 5, partBytes: 5 * 1024 * 1024 }

  describe('the probe at the start refuses with a sentence', () => {
    const closedPort = async () => {
      const server = createServer().listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      await new Promise((resolve) => server.close(resolve))
      return port
    }
    test.each([
      // To this server an unknown key and a wrong secret are the same.
      ['an unknown key', { accessKeyId: 'test:nobody' }, /^S3_SECRET_ACCESS_KEY does not belong to/],
      ['a wrong secret', { secretAccessKey: 'wrong' }, /^S3_SECRET_ACCESS_KEY does not belong to/],
      [
        'a bucket that does not exist',
        { bucket: 'elsewhere' },
        /^S3_BUCKET is elsewhere, which does not exist/,
      ],
      ['another region', { region: 'eu-west-1' }, /^S3_REGION is eu-west-1/],
      [
        'a public address that leads nowhere',
        { publicUrl: 'http://127.0.0.1:1' },
        /^S3_PUBLIC_URL leads to 127\.0\.0\.1:1, which cannot be reached/,
      ],
    ])('%s', async (_, changed, sentence) => {
      await expect(probeBucket({ ...place, ...changed })).rejects.toThrow(sentence)
    })

    test('an address where nothing listens', async () => {
      const endpoint = `http://127.0.0.1:${await closedPort()}`
      await expect(probeBucket({ ...place, endpoint })).rejects.toThrow(
        /^S3_ENDPOINT is http:.*where no object store answers \(ECONNREFUSED\)/,
      )
    })

    test('a public address that nobody may read', async () => {
      const publicUrl = `${swift.endpoint}/v1/AUTH_other/recordings`
      await expect(probeBucket({ ...place, publicUrl })).rejects.toThrow(/^S3_PUBLIC_URL answers 40[134]/)
    })
  })

  test('the probe passes, and leaves nothing behind', async () => {
    await probeBucket({ ...place, publicUrl: swift.publicUrl })
    const left: string[] = []
    for await (const { key } of s3Client(place).list('audio/probe')) left.push(key)
    expect(left).toEqual([])
  })

  describe('a blob store in a bucket', () =>
    blobStoreContract(
      async () => s3BlobStore(s3Client(place, quick), { place: 'Bucket', publicUrl: undefined }),
      12 * 1024 * 1024,
    ))

  describe('over a line that drops', () => {
    /** Passes connections on, and cuts those that `cutAfter` names, by their number, after so many bytes to the client. */
    async function droppingLine(cutAfter: (connection: number) => number): Promise<string> {
      let connections = 0
      const { hostname, port } = new URL(swift.endpoint)
      const server = createServer((client) => {
        let left = cutAfter((connections += 1))
        const upstream = connect(Number(port), hostname)
        client.on('error', () => undefined).on('close', () => upstream.destroy())
        upstream.on('error', () => undefined).on('close', () => client.destroy())
        client.pipe(upstream)
        upstream.on('data', (bytes: Buffer) => {
          client.write(bytes.subarray(0, left))
          left -= bytes.length
          if (left <= 0) client.end(() => client.destroy())
        })
      }).listen(0, '127.0.0.1')
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
    const content = randomBytes(3_000_000)
    const store = async (client: S3Client) => {
      const source = { bytes: content.length, read: async (buffer: Uint8Array) => buffer.set(content) }
      await client.put({ key: 'audio/dropped.mp3', headers: {} }, source)
      return (await client.stat('audio/dropped.mp3'))!
    }
    const readAll = async (client: S3Client, tag: string) => {
      const range = { key: 'audio/dropped.mp3', tag, start: 1000, end: content.length - 1 }
      const chunks: Buffer[] = []
      for await (const chunk of await client.read(range)) chunks.push(chunk as Buffer)
      return Buffer.concat(chunks)
    }

    test('rejects if no connection brings a byte any more', async () => {
      const { tag } = await store(s3Client(place, quick))
      const endpoint = await droppingLine((connection) => (connection === 1 ? 1_000_000 : 0))
      await expect(readAll(s3Client({ ...place, endpoint }, quick), tag)).rejects.toThrow(S3Unreachable)
    })

    test('a reader gets every byte once despite dropped connections', async () => {
      const { tag } = await store(s3Client(place, quick))
      let lines = 0
      const endpoint = await droppingLine((connection) => ((lines = connection), 700_000))
      const read = await readAll(s3Client({ ...place, endpoint }, quick), tag)
      expect(read.equals(content.subarray(1000))).toBe(true)
      expect(lines).toBeGreaterThan(4)
    })

    test('replaces a silent connection and reads the rest', async () => {
      const { tag } = await store(s3Client(place, quick))
      const silent = await silentAfter(500_000)
      const client = s3Client({ ...place, endpoint: silent }, { ...quick, silenceMs: 300 })
      expect((await readAll(client, tag)).equals(content.subarray(1000))).toBe(true)
    })

    /** The first connection brings so many bytes, and nothing more, while it stays open. */
    async function silentAfter(bytes: number): Promise<string> {
      let connections = 0
      const { hostname, port } = new URL(swift.endpoint)
      const server = createServer((client) => {
        let left = (connections += 1) === 1 ? bytes : Infinity
        const upstream = connect(Number(port), hostname)
        client.on('error', () => undefined).on('close', () => upstream.destroy())
        upstream.on('error', () => undefined)
        client.pipe(upstream)
        upstream.on('data', (chunk: Buffer) => {
          if (left > 0) client.write(chunk.subarray(0, left))
          left -= chunk.length
        })
      }).listen(0, '127.0.0.1')
      onTestFinished(() => void server.close())
      await once(server, 'listening')
      return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
    }
  })

  test('aborts old uploads in parts of killed processes', async () => {
    const requests = s3Requests(place, { firstDelayMs: 5 })
    const key = 'audio/half.mp3'
    await requests.ask({ method: 'POST', key, query: { uploads: '' } })
    const client = s3Client(place)
    expect(await client.abortUploads('audio/', new Date(Date.now() - 60_000))).toBe(0)
    expect(await client.abortUploads('audio/', new Date(Date.now() + 60_000))).toBe(1)
    expect(await client.abortUploads('audio/', new Date(Date.now() + 60_000))).toBe(0)
    expect(await client.stat(key)).toBeUndefined()
  })
})
