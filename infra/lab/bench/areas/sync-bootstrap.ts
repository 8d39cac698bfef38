import { gunzipSync } from 'node:zlib'
import { sync } from '@fellowship/schema/sync/sync.contract'
import { clientSchema } from '@fellowship/schema/sync/sync.limits'
import type { Area } from '../area.ts'
import { exchange, type Exchange } from '../exchange.ts'
import { startLibrary } from '../library.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'

const teachings = 10_000
const kilobytes = ({ body }: Exchange) => `${(body.length / 1000).toFixed(0)} kB`

/** The first sync of a new device, and one without changes, against the plain list of teachings. */
export const syncBootstrap: Area = {
  name: 'sync-bootstrap',
  needs: [],
  async run({ report, onEnd }) {
    const library = await startLibrary({ teachings })
    onEnd(() => library.stop())
    // As the client asks: in its own shape of rows.
    const url = `${library.url}${sync.pull.path}?schema=${clientSchema}`
    const get = async (address: string, coding: string, headers: Record<string, string> = {}) => {
      const answer = await exchange(address, { headers: { 'accept-encoding': coding, ...headers } })
      if (answer.status >= 400) throw new Error(`${address} answered ${answer.status}.`)
      return answer
    }
    const first = await get(url, 'br')
    const [gzip, raw, list] = [
      await get(url, 'gzip'),
      await get(url, 'identity'),
      await get(`${library.url}/api/teachings`, 'br'),
    ]
    if (!gunzipSync(gzip.body).equals(raw.body)) throw new Error('Compressed and plain answers differ.')
    const { next } = JSON.parse(raw.body.toString()) as { next: string }
    const since = `${url}&since=${encodeURIComponent(next)}`
    const { etag } = (await get(since, 'br')).headers
    const idle = await get(since, 'br', { 'if-none-match': etag! })
    const times = await sideBySide(
      async () => (await get(url, 'br')).ms,
      async () => (await get(`${library.url}/api/teachings`, 'br')).ms,
    )
    report({
      work: 'first sync of 10,000: bytes (gzip, plain)',
      product: `${kilobytes(first)} (${kilobytes(gzip)}, ${kilobytes(raw)})`,
      yardstick: `plain list ${kilobytes(list)}`,
      ratio: `${(first.body.length / list.body.length).toFixed(2)} ×`,
      target: '≤ 145 kB',
      met: first.body.length <= 145_000,
    })
    report({
      work: 'the same: time (the very first after a change)',
      product: `${times.product.toFixed(1)} ms (${first.ms.toFixed(0)})`,
      yardstick: `plain list ${times.yardstick.toFixed(1)} ms`,
      ratio: ratioText(times.ratios),
      target: '–',
      met: Number.isFinite(median(times.ratios)),
    })
    report({
      work: 'a pull without changes',
      product: `${idle.status}, ${idle.wireBytes} bytes with all headers`,
      yardstick: '–',
      ratio: '–',
      target: 'one 304',
      met: idle.status === 304 && idle.body.length === 0,
    })
  },
}
