import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chmod, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { parseEnv } from '@fellowship/api/config/config'
import { openDatabase } from '@fellowship/api/db/database'
import { configuredShelves } from '@fellowship/api/machine/storage/configured-storage'
import { operatorCommand } from '@fellowship/api/testing/operator-command'
import { isSwiftMissing, startSwift } from '@fellowship/api/testing/swift'

const root = path.resolve(import.meta.dirname, '../..')

describe.skipIf(isSwiftMissing())('npm run shelf:move, beside a running product,', async () => {
  if (isSwiftMissing()) return
  const swift = await startSwift()
  const dataDir = await mkdtemp(path.join(tmpdir(), 'shelf-move-'))
  await chmod(dataDir, 0o755)
  const database = await openDatabase({ databaseUrl: undefined, dataDir })
  afterAll(async () => {
    await database.close()
    await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
  })
  const settings = {
    S3_ENDPOINT: swift.endpoint,
    S3_BUCKET: swift.bucket,
    S3_ACCESS_KEY_ID: swift.accessKeyId,
    S3_SECRET_ACCESS_KEY: swift.secretAccessKey,
  }
  const { bucket } = configuredShelves(parseEnv({ ...settings, DATA_DIR: dataDir }))
  const start = (args: string[], env: Record<string, string>) =>
    spawn(process.execPath, operatorCommand('shelf-move', args), {
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
  const onDisk = async () => (await readdir(path.join(dataDir, 'audio'))).toSorted()
  async function inBucket(): Promise<string[]> {
    const names: string[] = []
    for await (const { name } of bucket!.list('audio')) names.push(name)
    return names.toSorted()
  }

  test.each([
    ['without a place', [], settings, 'Say where to: npm run shelf:move -- --to s3 (or --to disk)\n'],
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
  ])('%s, is refused with one sentence', async (_, args, env, sentence) => {
    const { status, output } = await run(args, env as Record<string, string>)
    expect([status, output.slice(0, sentence.length), output.trim().split('\n').length]).toEqual([
      1,
      sentence,
      1,
    ])
  })

  test('killed in the middle, goes on where it was; and everything comes back to the disk', async () => {
    const names: string[] = []
    await mkdir(path.join(dataDir, 'audio'), { recursive: true })
    for (let count = 0; count < 40; count += 1) {
      const content = randomBytes(200_000)
      names.push(`${createHash('sha256').update(content).digest('hex')}.mp3`)
      await writeFile(path.join(dataDir, 'audio', names.at(-1)!), content)
    }
    names.sort()
    const child = start(['--to', 's3'], settings)
    const ended = once(child, 'exit')
    while ((await onDisk()).length > 30) await new Promise((resolve) => setTimeout(resolve, 5))
    child.kill('SIGKILL')
    await ended
    expect([...new Set([...(await onDisk()), ...(await inBucket())])].toSorted()).toEqual(names)
    expect((await onDisk()).length).toBeGreaterThan(0)

    const again = await run(['--to', 's3'], settings)
    expect(again).toMatchObject({ status: 0 })
    expect(again.output).toMatch(/^Moved to "Bucket recordings at 127\.0\.0\.1:\d+": \d+ files, /m)
    expect([await onDisk(), await inBucket()]).toEqual([[], names])

    const back = await run(['--to', 'disk'], { ...settings, SHELF: 'disk' })
    expect(back.output).toContain('40 files, 8.0 MB.\nNow take the S3_* settings and SHELF away')
    expect([await onDisk(), await inBucket()]).toEqual([names, []])
  }, 60_000)
})
