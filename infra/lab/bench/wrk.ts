import { execFile } from 'node:child_process'
import path from 'node:path'
import { promisify } from 'node:util'
import { pinned } from './tools.ts'

const seconds = 3

export interface Load {
  url: string
  connections: number
  headers?: Record<string, string>
  /** Requests random ranges of `bytes` of a file of `of` bytes. */
  ranges?: { bytes: number; of: number }
}

/**
 * Throughput of a server under load for a few seconds.
 *
 * @throws Error if a request failed, since the figure would be meaningless
 */
export async function load({
  url,
  connections,
  headers = {},
  ranges,
}: Load): Promise<{ perSecond: number; megabytesPerSecond: number }> {
  const given = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}: ${value}`])
  const [command, args] = pinned('load', 'wrk', [
    '--threads=1',
    `--connections=${connections}`,
    `--duration=${seconds}s`,
    '--timeout=20s',
    `--script=${path.join(import.meta.dirname, 'load.lua')}`,
    ...given,
    url,
  ])
  const env = {
    ...process.env,
    ...(ranges && { RANGE_BYTES: String(ranges.bytes), FILE_BYTES: String(ranges.of) }),
  }
  const { stdout } = await promisify(execFile)(command, args, { env })
  const [, requests = '', bytes = '', microseconds = '', failed = ''] =
    /RESULT (\d+) (\d+) (\d+) (\d+)/.exec(stdout) ?? []
  if (failed !== '0') throw new Error(`${url}: ${failed} of ${requests} requests failed.\n${stdout}`)
  const duration = Number(microseconds) / 1e6
  return { perSecond: Number(requests) / duration, megabytesPerSecond: Number(bytes) / 1e6 / duration }
}
