import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { expect, onTestFinished, test } from 'vitest'
import { blobStoreWithFallback } from './configured-storage.ts'
import { diskBlobStore } from './disk-blob-store.ts'
import { diskStorage } from './disk-storage.ts'
import { s3BlobStore } from './s3-blob-store.ts'
import { s3Client, S3Unreachable } from './s3-client.ts'

/** A bucket whose store answers as `answer` does; without one it stays silent. */
async function badBucket() {
  const state: { asked: string[]; answer: RequestListener | undefined } = { asked: [], answer: undefined }
  const server = createServer((request, response) => {
    state.asked.push(request.method!)
    request.resume()
    state.answer?.(request, response)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const place = { endpoint, region: 'us-east-1', bucket: 'b', accessKeyId: 'k', secretAccessKey: 's' }
  const client = s3Client(place, { firstDelayMs: 1, firstByteMs: 100, pauseMs: 300 })
  const blobs = s3BlobStore(client, { place: 'Bucket', publicUrl: undefined })
  const folder = await mkdtemp(path.join(tmpdir(), 'bad-bucket-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return { state, blobs, folder }
}

test('leaves a silent store alone for a while', async () => {
  const { state, blobs } = await badBucket()
  const first = blobs.stat('audio', 'a.mp3')
  await expect(first).rejects.toThrow(S3Unreachable)
  await expect(first).rejects.toMatchObject({ wasAsked: true })
  expect(state.asked).toEqual(['HEAD', 'HEAD'])
  for (let times = 0; times < 3; times += 1)
    await expect(blobs.open('audio', 'a.mp3')).rejects.toMatchObject({
      message: expect.stringMatching(/no answer within 0.1 s/) as string,
      wasAsked: false,
    })
  expect(state.asked).toHaveLength(2)
  state.answer = (_, response) => response.writeHead(404).end()
  await delay(400)
  expect(await blobs.stat('audio', 'a.mp3')).toBeUndefined()
  expect(await blobs.stat('audio', 'a.mp3')).toBeUndefined()
  expect(state.asked).toHaveLength(4)
})

test('reports a store that does not answer, and one that does', async () => {
  const silent = await badBucket()
  expect(await silent.blobs.isReachable()).toBe(false)
  const other = await badBucket()
  other.state.answer = (_, response) => response.writeHead(404).end()
  expect(await blobStoreWithFallback(other.blobs, diskBlobStore(other.folder)).isReachable()).toBe(true)
})

test('reads a file on the disk without asking the bucket', async () => {
  const { state, blobs, folder } = await badBucket()
  const both = blobStoreWithFallback(blobs, diskBlobStore(folder))
  await writeFile(path.join(folder, 'audio', 'a.mp3'), 'sound')
  await using file = await both.open('audio', 'a.mp3')
  expect([file!.bytes, (await both.stat('audio', 'a.mp3'))!.bytes, state.asked]).toEqual([5, 5, []])
})

/** Answers like a store that has these bytes once an object was put into it. */
function having(content: string, tag: string): RequestListener {
  let isThere = false
  return ({ method }, response) => {
    if (method === 'PUT') isThere = true
    const headers = { 'content-length': content.length, etag: tag }
    if (method === 'PUT' || method === 'DELETE') response.writeHead(200, { etag: tag }).end()
    else if (!isThere) response.writeHead(404).end()
    else response.writeHead(method === 'GET' ? 206 : 200, headers).end(method === 'GET' ? content : undefined)
  }
}
const tagOf = (content: string) => `"${createHash('md5').update(content).digest('hex')}"`

test.each<[string, RequestListener]>([
  ['lost it', ({ method }, response) => response.writeHead(method === 'PUT' ? 200 : 404).end()],
  ['cut it short', having('soun', tagOf('soun'))],
  ['changed it', having('noise', tagOf('noise'))],
  ['changed it and has tags of its own', having('noise', '"encrypted"')],
])('keeps the staged file if the store accepted it and %s', async (_, answer) => {
  const { state, blobs, folder } = await badBucket()
  state.answer = answer
  const storage = diskStorage(folder, { blobs })
  const staged = await storage.stage()
  await staged.write([Buffer.from('sound')])
  await expect(storage.settle(staged, 'audio', 'a.mp3')).rejects.toThrow(/does not have it/)
  expect(await readFile(staged.path, 'utf8')).toBe('sound')
})

test('reads an object back whose tag is not made from its bytes', async () => {
  const { state, blobs, folder } = await badBucket()
  state.answer = having('sound', '"encrypted"')
  const file = path.join(folder, 'whole')
  await writeFile(file, 'sound')
  await blobs.put('audio', 'a.mp3', file)
  expect(state.asked).toEqual(['PUT', 'HEAD', 'GET'])
})

test('a file that is stored anew replaces a damaged one on the disk', async () => {
  const { state, blobs, folder } = await badBucket()
  const disk = diskBlobStore(folder)
  const damaged = path.join(folder, 'audio', 'a.mp3')
  const whole = path.join(folder, 'whole')
  await writeFile(damaged, 'noise')
  await writeFile(whole, 'sound')
  state.answer = having('sound', tagOf('sound'))
  await blobStoreWithFallback(blobs, disk).put('audio', 'a.mp3', whole)
  expect(await disk.stat('audio', 'a.mp3')).toBeUndefined()
  expect(state.asked).toEqual(['PUT', 'HEAD'])
})
