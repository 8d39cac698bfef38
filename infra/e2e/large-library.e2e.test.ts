import { spawnSync } from 'node:child_process'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import type { Teaching } from '@fellowship/schema/teachings/teachings.schema'
import { buildTeachingIndex } from '@fellowship/schema/teachings/teaching-search'
import { openBrowser, type TestBrowser } from './support/browser.ts'
import { serverDown, synced } from './support/offline-steps.ts'
import { watchConsole } from './support/console.ts'
import { startProduct, type Product } from './support/product.ts'
import { comesTo, titles } from './support/screens.ts'

const count = 10_000
let dataDir: string
let product: Product
let browser: TestBrowser

beforeAll(async () => {
  dataDir = await mkdtemp(path.join(tmpdir(), 'large-'))
  await chmod(dataDir, 0o755)
  const root = path.resolve(import.meta.dirname, '../..')
  const seed = ['--import', 'tsx', 'infra/dev/seed.ts', '--teachings', String(count)]
  const { status, stderr } = spawnSync(process.execPath, seed, {
    cwd: root,
    env: { ...process.env, DATA_DIR: dataDir },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(stderr)
  product = await startProduct({}, { dataDir })
  browser = await openBrowser({ windowless: true })
}, 180_000)

afterAll(async () => {
  await browser?.close()
  await product?.stop()
  await rm(dataDir, { recursive: true, force: true, maxRetries: 5 })
})

test('ten thousand teachings sync and are searched offline', async () => {
  const all = (await (await fetch(product.url + teachings.list.path)).json()) as Teaching[]
  expect(all).toHaveLength(count)
  const searched = buildTeachingIndex(all)
  const query = 'romans 8'
  const expected = searched.search(query)
  expect(expected.length).toBeGreaterThan(0)

  const page = await browser.context.newPage()
  const watch = watchConsole(page, { allow: serverDown })
  await page.goto(`${product.url}/teaching`)
  await page.getByRole('button', { name: 'Load More Teaching' }).waitFor()
  await page.getByText(/^Up to date/).waitFor({ timeout: 60_000 })
  await synced(page)
  await product.kill()

  const cold = await browser.context.newPage()
  const coldWatch = watchConsole(cold, { allow: serverDown })
  await cold.goto(`${product.url}/teaching`)
  await comesTo(
    () => titles(cold),
    all.slice(0, 5).map(({ title }) => title.replaceAll('_', ' ')),
  )
  await cold.getByRole('searchbox').fill(query)
  await cold.getByRole('heading', { name: `Search Results (${expected.length})` }).waitFor()
  await comesTo(
    () => titles(cold),
    expected.slice(0, 5).map(({ title }) => title.replaceAll('_', ' ')),
  )
  expect([...watch.noise(), ...coldWatch.noise()]).toEqual([])
}, 180_000)
