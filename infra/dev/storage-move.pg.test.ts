import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, describe, expect, onTestFinished, test } from 'vitest'
import { parseEnv } from '@fellowship/api/config/config'
import { openDatabase } from '@fellowship/api/db/database'
import { configuredBlobStores } from '@fellowship/api/machine/storage/configured-storage'
import { faultProxy, type ProxyFault } from '@fellowship/api/testing/fault-proxy'
import { operatorCommand, startServer } from '@fellowship/api/testing/server-process'
import { longWav } from '@fellowship/api/testing/multipart'
import { copyStarted } from '@fellowship/api/testing/started-folder'
import { isSwiftMissing, startSwift } from '@fellowship/api/testing/swift'
import { uploads } from '@fellowship/schema/uploads/uploads.contract'
import { call } from '@fellowship/sync/call/call'

const root = path.resolve(import.meta.dirname, '../..')

describe.skipIf(isSwiftMissing())('npm run storage:move, beside a running product,', async () => {
  if (isSwiftMissing()) return
  const swift = await startSwift()
  const toSwift = await faultProxy(() => swift.endpoint)
  const dataDir = await mkdtemp(path.join(tmpdir(), 'storage-move-'))
  await chmod(dataDir, 0o755)
  const database = await openDatabase({ databaseUrl: undefined, dataDir })
  afterAll(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  const settings = swift.forRecordings
  const { disk, bucket } = configuredBlobStores(parseEnv({ ...settings, DATA_DIR: dataDir }))
  const start = (args: string[], env: Record<string, string>) =>
    spawn(process.execPath, operatorCommand('storage-move', args), {
      cwd: root,
      env: { ...process.env, DATA_DIR: dataDir, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  async function run(args: string[], env: Record<string, string>) {
    const child = start(args, env)
    let output = ''
    child.stdout.on('data', (text: Buffer) => (output += text.toString()))
    child.stderr.on('data', (text: Buffer) => (output += text.toString()))
    const [status] = (await once(child, 'close')) as [number | null]
    return { status, output }
  }
  const settingsOf = (to: Place) => ({ ...settings, ...(to === 'disk' && { SHELF: 'disk' }) })
  const onDisk = async () => (await readdir(path.join(dataDir, 'audio'))).toSorted()
  async function inBucket(): Promise<string[]> {
    const names: string[] = []
    for await (const { name } of bucket!.list('audio')) names.push(name)
    return names.toSorted()
  }

  test.each([
    ['without a place', [], settings, 'Say where to: npm run storage:move -- --to s3 (or --to disk)\n'],
    ['without a bucket', ['--to', 's3'], {}, 'There is no bucket in the settings. '],
    [
      'while new files go to the bucket',
      ['--to', 'disk'],
      settings,
      'New files still go to the bucket. Set SHELF=disk',
    ],
    [
      'while new files go to the disk',
      ['--to', 's3'],
      { ...settings, SHELF: 'disk' },
      'New files still go to the disk. Take SHELF=disk out',
    ],
  ])('storage:move refuses %s', async (_, args, env, sentence) => {
    const { status, output } = await run(args, env as Record<string, string>)
    expect([status, output.slice(0, sentence.length), output.trim().split('\n').length]).toEqual([
      1,
      sentence,
      1,
    ])
  })

  test('a killed move resumes, and moves back', async () => {
    const names: string[] = []
    for (let count = 0; count < 5; count += 1) names.push(await recording())
    names.sort()
    // It is stored, and the answer is lost.
    await killedAt(3, isPut, 's3', (run) => ({ kind: 'interrupt', after: Infinity, run }))
    expect([...new Set([...(await onDisk()), ...(await inBucket())])].toSorted()).toEqual(names)
    expect((await onDisk()).length).toBe(3)
    for (const name of names) expect(await wholeAt(name), name).not.toEqual([])

    const again = await run(['--to', 's3'], settings)
    expect(again).toMatchObject({ status: 0 })
    expect(again.output).toMatch(/^Moved to "Bucket recordings at 127\.0\.0\.1:\d+": \d+ files, /m)
    expect([await onDisk(), await inBucket()]).toEqual([[], names])

    const back = await run(['--to', 'disk'], { ...settings, SHELF: 'disk' })
    expect(back.output).toContain('5 files, 1.0 MB.\nNow take the S3_* settings and SHELF away')
    expect([await onDisk(), await inBucket()]).toEqual([names, []])
  }, 60_000)

  test.each<[to: Place, moment: string, isIt: IsIt, fault: FaultOf]>([
    ['s3', 'half of an object has been sent', isPut, (run) => ({ kind: 'interrupt', after: 100_000, run })],
    ['s3', 'half of it has been read back', isGet, (run) => ({ kind: 'half answer', run })],
    ['disk', 'half of it has been read', isGet, (run) => ({ kind: 'half answer', run })],
    [
      'disk',
      'it is removed, and the answer is lost',
      isDelete,
      (run) => ({ kind: 'interrupt', after: Infinity, run }),
    ],
  ])(
    'every recording is whole (to %s, killed when %s)',
    async (to, _, isIt, faultOf) => {
      await empty()
      const names = [await recording(), await recording(), await recording()]
      if (to === 'disk') for (const name of names) await intoBucket(name)
      // At the second of them, so that one has been moved and one is still to be.
      await killedAt(2, isIt, to, faultOf)
      for (const name of names) expect(await wholeAt(name), name).not.toEqual([])

      expect(await run(['--to', to], settingsOf(to))).toMatchObject({ status: 0 })
      for (const name of names) expect(await wholeAt(name), name).toEqual([to])
    },
    60_000,
  )

  // In the soak.
  if (process.env['SEVERAL_KILLS'])
    test('every recording plays while the server is killed', async () => {
      await empty()
      const folder = await mkdtemp(path.join(tmpdir(), 'storage-move-server-'))
      await copyStarted(folder)
      onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }))
      let server = await startServer(folder)
      onTestFinished(() => server.kill())
      const sent = new Map<string, Buffer>()
      const person = await server.signIn()
      for (let count = 0; count < 5; count += 1) {
        const wav = Buffer.concat([...longWav(300_000, 70 + count)])
        const files = {
          audioFile: new File([new Uint8Array(wav)], `2026-11-2${count}_John-Smith"Hope ${count}".wav`),
        }
        sent.set((await call(uploads.smartUpload, { files }, person)).teaching.audioUrl!, wav)
      }
      await server.stop()
      const env = { ...settings, S3_ENDPOINT: toSwift.url, DATA_DIR: folder }
      server = await startServer(folder, env)
      let asked = 0
      toSwift.fault = ({ method, path: where }) =>
        isPut(method, where) && (asked += 1) === 3
          ? { kind: 'interrupt', after: 100_000, run: () => server.kill() }
          : none
      const moved = run(['--to', 's3'], env)
      await server.ended
      toSwift.fault = () => none
      server = await startServer(folder, env)
      await expectAllPlay()
      const { status, output } = await moved
      // Its database stopped with the server; if PostgreSQL outlived it for a moment, the move may have ended by itself.
      if (status !== 0) expect(output).toContain('Nothing is lost. Run it again to go on.')
      await expectAllPlay()
      expect(await run(['--to', 's3'], env)).toMatchObject({ status: 0 })
      await expectAllPlay()
      expect(await readdir(path.join(folder, 'audio'))).toEqual([])
      expect(await inBucket()).toHaveLength(sent.size)
      await server.stop()
      server = await startServer(folder, env)
      expect(await readdir(path.join(folder, 'staging'))).toEqual([])
      await expectAllPlay()

      async function expectAllPlay(): Promise<void> {
        for (const [audioUrl, wav] of sent) {
          const played = Buffer.from(await (await fetch(server.url + audioUrl)).arrayBuffer())
          expect(played.equals(wav), audioUrl).toBe(true)
        }
      }
    }, 120_000)

  /** A move that is killed at this request of those that `isIt` chooses; resolves when it has ended. */
  async function killedAt(which: number, isIt: IsIt, to: Place, faultOf: FaultOf): Promise<void> {
    const child = start(['--to', to], { ...settingsOf(to), S3_ENDPOINT: toSwift.url })
    const ended = once(child, 'exit')
    let asked = 0
    toSwift.fault = ({ method, path: where }) =>
      isIt(method, where) && (asked += 1) === which ? faultOf(async () => void child.kill('SIGKILL')) : none
    await ended
    toSwift.fault = () => none
  }

  async function empty(): Promise<void> {
    for (const name of await onDisk()) await disk.remove('audio', name)
    for (const name of await inBucket()) await bucket!.remove('audio', name)
  }

  /** As a move leaves it there. */
  async function intoBucket(name: string): Promise<void> {
    await bucket!.put('audio', name, path.join(dataDir, 'audio', name))
    await disk.remove('audio', name)
  }

  async function recording(): Promise<string> {
    const content = randomBytes(200_000)
    const name = `${createHash('sha256').update(content).digest('hex')}.mp3`
    await mkdir(path.join(dataDir, 'audio'), { recursive: true })
    await writeFile(path.join(dataDir, 'audio', name), content)
    return name
  }
  /** The places that have it; one that has other bytes is an error. */
  async function wholeAt(name: string): Promise<string[]> {
    const found: string[] = []
    for (const [place, blobs] of [
      ['disk', disk],
      ['s3', bucket!],
    ] as const) {
      const file = await blobs.open('audio', name)
      if (!file) continue
      const content = await buffer(await file.read(0, file.bytes - 1))
      await file.close()
      expect(`${createHash('sha256').update(content).digest('hex')}.mp3`).toBe(name)
      found.push(place)
    }
    return found
  }
})

const none: ProxyFault = { kind: 'none' }
type Place = 's3' | 'disk'
type IsIt = (method: string, path: string) => boolean
type FaultOf = (run: () => Promise<void>) => ProxyFault
const isObject = (where: string) => where.includes('/recordings/audio/')
const isPut = (method: string, where: string) => method === 'PUT' && isObject(where)
const isGet = (method: string, where: string) => method === 'GET' && isObject(where)
const isDelete = (method: string, where: string) => method === 'DELETE' && isObject(where)
