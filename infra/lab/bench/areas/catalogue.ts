import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import type { Area } from '../area.ts'
import { exchange } from '../exchange.ts'
import { startLibrary } from '../library.ts'
import { startNginx } from '../nginx.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { load } from '../wrk.ts'

const teachings = 10_000

/** The whole list compressed, and its 304 answer, against a file that was compressed beforehand. */
export const catalogue: Area = {
  name: 'catalogue',
  needs: ['nginx', 'wrk'],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings })
    onEnd(() => library.stop())
    const nginx = await startNginx()
    onEnd(() => nginx.stop())
    const product = `${library.url}/api/teachings`
    const yardstick = `${nginx.url}/teachings.json`
    const file = path.join(nginx.root, 'teachings.json')
    await writeFile(file, (await exchange(product)).body)
    const compressed = await exchange(product, { headers: gzip })
    await writeFile(`${file}.gz`, compressed.body)

    const rate = async (url: string, headers: Record<string, string>) =>
      (await load({ url, connections: 20, headers })).perSecond
    const whole = await sideBySide(
      () => rate(product, gzip),
      () => rate(yardstick, gzip),
    )
    const known = async (url: string) => ({
      ...gzip,
      'If-None-Match': (await exchange(url, { headers: gzip })).headers.etag!,
    })
    const [ours, theirs] = [await known(product), await known(yardstick)]
    const unchanged = await sideBySide(
      () => rate(product, ours),
      () => rate(yardstick, theirs),
    )
    report({
      work: `catalogue of 10,000 (${(compressed.body.length / 1000).toFixed(0)} kB gzip), 20 at once`,
      product: `${whole.product.toFixed(0)} req/s`,
      yardstick: `nginx gzip_static ${whole.yardstick.toFixed(0)} req/s`,
      ratio: ratioText(whole.ratios),
      target: '≥ 0.9 ×',
      met: median(whole.ratios) >= 0.9,
    })
    report({
      work: 'catalogue unchanged (304), 20 at once',
      product: `${unchanged.product.toFixed(0)} req/s`,
      yardstick: `nginx 304 ${unchanged.yardstick.toFixed(0)} req/s`,
      ratio: ratioText(unchanged.ratios),
      target: '≥ 0.45 ×',
      met: median(unchanged.ratios) >= 0.45,
    })
  },
}

const gzip = { 'Accept-Encoding': 'gzip' }
