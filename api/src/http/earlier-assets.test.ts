import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { keepAssets } from './static-files.ts'

const day = 24 * 60 * 60_000
let root: string
beforeEach(async () => {
  root = await mkdtemp(path.join(tmpdir(), 'assets-'))
})
afterEach(() => rm(root, { recursive: true, force: true }))

const kept = () => path.join(root, 'kept')
const names = async () => (await readdir(kept())).filter((name) => name !== 'current.json').sort()
/** A start with a build of these assets, as an update in a new image has it: nothing of the build before is there. */
async function start(build: string[], now: number): Promise<void> {
  const assets = path.join(root, `build-${build.join('-')}`)
  await mkdir(assets, { recursive: true })
  for (const name of build) await writeFile(path.join(assets, name), name)
  await keepAssets(assets, kept(), now)
}

test('a start without a built client removes nothing', async () => {
  const now = Date.now()
  await start(['a-1.js'], now)
  await keepAssets(path.join(root, 'missing'), kept(), now + 90 * day)
  expect(await names()).toEqual(['a-1.js'])
})

test('an asset stays 30 days after the update without it', async () => {
  const now = Date.now()
  await start(['a-1.js', 'same.css'], now)
  await start(['a-2.js', 'same.css'], now + 200 * day)
  expect(await names()).toEqual(['a-1.js', 'a-2.js', 'same.css'])
  await start(['a-2.js', 'same.css'], now + 229 * day)
  expect(await names()).toEqual(['a-1.js', 'a-2.js', 'same.css'])
  expect(await readFile(path.join(kept(), 'a-1.js'), 'utf8')).toBe('a-1.js')
  await start(['a-2.js', 'same.css'], now + 231 * day)
  expect(await names()).toEqual(['a-2.js', 'same.css'])
})

test('an asset that comes back is current again', async () => {
  const now = Date.now()
  await start(['a-1.js'], now)
  await start(['a-2.js'], now + day)
  await start(['a-1.js'], now + 2 * day)
  await start(['a-1.js'], now + 60 * day)
  expect(await names()).toEqual(['a-1.js'])
})
