import { readdir, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Area } from '../area.ts'
import { startLibrary } from '../library.ts'
import { startNginx } from '../nginx.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { load } from '../wrk.ts'

const assets = path.resolve(import.meta.dirname, '../../../../web/dist/assets')

/** Hashed files of the built client: the ones nearest to 2 kB and to 100 kB. */
export const staticFiles: Area = {
  name: 'static',
  needs: ['nginx', 'wrk'],
  async run({ report, onEnd }) {
    const library = await startLibrary()
    onEnd(() => library.stop())
    const nginx = await startNginx()
    onEnd(() => nginx.stop())
    for (const [bytes, goal] of [
      [2_000, 0.5],
      [100_000, 0.6],
    ] as const) {
      const name = await nearest(bytes)
      const body = await bytesOf(`${library.url}/assets/${name}`)
      await writeFile(path.join(nginx.root, name), body)
      const rate = async (url: string) => (await load({ url, connections: 50 })).perSecond
      const measured = await sideBySide(
        () => rate(`${library.url}/assets/${name}`),
        () => rate(`${nginx.url}/${name}`),
      )
      report({
        work: `hashed static file of ${(body.length / 1000).toFixed(1)} kB, 50 at once`,
        product: `${measured.product.toFixed(0)} req/s`,
        yardstick: `nginx ${measured.yardstick.toFixed(0)} req/s`,
        ratio: ratioText(measured.ratios),
        target: `≥ ${goal} ×`,
        met: median(measured.ratios) >= goal,
      })
    }
  },
}

async function nearest(bytes: number): Promise<string> {
  const names = (await readdir(assets)).filter((name) => name.endsWith('.js'))
  const sized = await Promise.all(
    names.map(async (name) => ({
      name,
      off: Math.abs(Math.log((await stat(path.join(assets, name))).size / bytes)),
    })),
  )
  return sized.sort((a, b) => a.off - b.off)[0]!.name
}

async function bytesOf(url: string): Promise<Buffer> {
  const response = await fetch(url, { headers: { 'accept-encoding': 'identity' } })
  if (!response.ok) throw new Error(`${url} answered ${response.status}.`)
  return Buffer.from(await response.arrayBuffer())
}
