import type { ChildProcess } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'

/** Resolves when the health check of the product at `url` passes; rejects when its process ends, or after a minute. */
export async function waitUntilReady(url: string, product?: ChildProcess): Promise<void> {
  let ended = false
  product?.once('exit', () => (ended = true))
  for (let tries = 0; tries < 600; tries += 1) {
    if (ended) throw new Error('The product ended before it was ready; see its message above.')
    const answer = await fetch(`${url}/api/health/ready`).catch(() => undefined)
    if (answer?.ok) return
    await sleep(100)
  }
  throw new Error(`Nothing became ready at ${url} within a minute.`)
}
