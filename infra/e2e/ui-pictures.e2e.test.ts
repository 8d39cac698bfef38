import { spawn } from 'node:child_process'
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Page } from 'playwright-core'
import { freePort } from '@fellowship/api/testing/free-port'
import { expect, onTestFinished, test } from 'vitest'
import { openBrowser } from './support/browser.ts'

const root = path.resolve(import.meta.dirname, '../..')
/** The pictures of the last run on this machine: another one draws its fonts otherwise. */
const last = path.join(root, 'node_modules/.cache/ui-pictures')

type Pictures = ReadonlyMap<string, Buffer>

/** One picture of each group of parts, by its name. */
async function take(page: Page, look: string): Promise<Map<string, Buffer>> {
  const pictures = new Map<string, Buffer>()
  for (const group of await page.locator('main section[aria-label]').all()) {
    const name = `${(await group.getAttribute('aria-label'))!} ${look}`
    pictures.set(name, await group.screenshot({ animations: 'disabled', caret: 'hide' }))
  }
  return pictures
}

/** The width and the height of a PNG. */
const sizeOf = (png: Buffer) => `${png.readUInt32BE(16)} × ${png.readUInt32BE(20)}`

/** The pictures that were added, removed or changed. */
function moved(before: Pictures, after: Pictures): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((name) => {
    const [old, now] = [before.get(name), after.get(name)]
    if (!old || !now) return [`${name}: ${now ? 'new' : 'gone'}`]
    if (old.equals(now)) return []
    const [from, to] = [sizeOf(old), sizeOf(now)]
    return [`${name}: ${from === to ? `looks otherwise, ${to}` : `${from} before, ${to} now`}`]
  })
}

async function readLast(names: Iterable<string>): Promise<Pictures> {
  const pictures = new Map<string, Buffer>()
  for (const name of names) {
    const png = await readFile(path.join(last, `${name}.png`)).catch(() => undefined)
    if (png) pictures.set(name, png)
  }
  return pictures
}

test('prints which parts look otherwise than in the last run', async () => {
  const port = String(await freePort())
  const vite = spawn(
    process.execPath,
    [
      '--import',
      'tsx',
      'node_modules/vite/bin/vite.js',
      '--host',
      '127.0.0.1',
      '--port',
      port,
      '--strictPort',
    ],
    { cwd: root, stdio: 'ignore' },
  )
  onTestFinished(() => void vite.kill())
  const site = `http://127.0.0.1:${port}/`
  await expect
    .poll(
      () =>
        fetch(site).then(
          ({ ok }) => ok,
          () => false,
        ),
      { timeout: 60_000 },
    )
    .toBe(true)
  const browser = await openBrowser()
  onTestFinished(() => browser.close())
  const pictures = new Map<string, Buffer>()
  for (const width of [360, 1280])
    for (const colorScheme of ['light', 'dark'] as const) {
      const context = await browser.newContext({
        viewport: { width, height: 800 },
        colorScheme,
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      // The first page waits until Vite has bundled the packages.
      await page.goto(`${site}ui`, { waitUntil: 'commit', timeout: 90_000 })
      await page.getByRole('heading', { name: 'Parts', level: 1 }).waitFor({ timeout: 90_000 })
      await page.evaluate(() => document.fonts.ready)
      const look = `${width} ${colorScheme}`
      const taken = await take(page, look)
      expect(taken.size).toBeGreaterThan(5)
      expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBe(0)
      // A larger text moves every group.
      await page.evaluate(() => document.documentElement.style.setProperty('font-size', '120%', 'important'))
      const larger = await take(page, look)
      expect(moved(taken, larger)).toHaveLength(taken.size)
      for (const [name, png] of taken) pictures.set(name, png)
      await context.close()
    }
  const before = await readLast(pictures.keys())
  if (before.size > 0) console.log([`Parts that moved:`, ...moved(before, pictures)].join('\n'))
  await mkdir(last, { recursive: true })
  for (const [name, png] of pictures) await writeFile(path.join(last, `${name}.png`), png)
}, 300_000)
