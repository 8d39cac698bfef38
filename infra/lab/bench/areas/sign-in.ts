import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hash } from '@node-rs/argon2'
import { passwordHash } from '@fellowship/api/machine/password-hash'
import { auth } from '@fellowship/schema/auth/auth.contract'
import type { Area, BenchRow } from '../area.ts'
import { exchange } from '../exchange.ts'
import { timeIsUp, latencyPercentile } from '../latency.ts'
import { startLibrary } from '../library.ts'
import { longRecording, mebibyte, publish } from '../recording.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { pin, unpin } from '../tools.ts'

const atOnce = 16
const roundMs = 2_000

/** Latency of file reads and range requests while sixteen sign-ins run continuously. */
export const signIn: Area = {
  name: 'sign-in',
  needs: [],
  async run({ report }) {
    // Reader and hashing threads are one process here and need a core each.
    unpin(process.pid)
    report(await fileReads())
    pin('load', process.pid)
    report(await rangesMeanwhile())
  },
}

/** File reads while passwords are hashed, against hashing on libuv's thread pool, which file reads share. */
async function fileReads(): Promise<BenchRow> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-reads-'))
  const file = path.join(folder, 'file')
  await writeFile(file, Buffer.alloc(8 * mebibyte, 1))
  const handle = await open(file, 'r')
  const passwords = passwordHash()
  const piece = Buffer.alloc(64 * 1024)
  const read = async () =>
    void (await handle.read(piece, 0, piece.length, Math.floor(Math.random() * 100) * 65_536))
  const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
  const measured = await sideBySide(
    () => beside(read, () => passwords.hash('a password')),
    () => beside(read, () => hash('a password', cost)),
  )
  await passwords.close()
  await handle.close()
  await rm(folder, { recursive: true })
  return {
    work: '16 sign-ins at once: p99 of concurrent file reads',
    product: `${measured.product.toFixed(2)} ms`,
    yardstick: `hashing on libuv’s thread pool ${measured.yardstick.toFixed(1)} ms`,
    ratio: ratioText(measured.ratios),
    target: '≤ 0.5 ms',
    met: measured.product <= 0.5,
  }
}

/** Range requests over HTTP during sixteen concurrent sign-ins, against none. */
async function rangesMeanwhile(): Promise<BenchRow> {
  // Each attempt has its own address and account, or rate limits and lockout would end it.
  const library = await startLibrary({ env: { TRUST_PROXY: '1' } })
  unpin(library.pid)
  try {
    const url = library.url + (await publish(library, await longRecording(8 * mebibyte, 0), 'Bench'))
    const range = async () => {
      const { status } = await exchange(url, { headers: { range: 'bytes=1000000-1065535' } })
      if (status !== 206) throw new Error(`A range answered ${status}.`)
    }
    let number = 0
    const attempt = async () => {
      number += 1
      const address = `10.${(number >> 16) & 255}.${(number >> 8) & 255}.${number & 255}`
      const credentials = JSON.stringify({ email: `person-${number}@example.test`, password: 'a password' })
      const { status } = await exchange(library.url + auth.login.path, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-forwarded-for': address },
        body: [Buffer.from(credentials)],
      })
      if (status !== 401) throw new Error(`A sign-in answered ${status}.`)
    }
    const measured = await sideBySide(
      () => beside(range, attempt),
      () => beside(range),
    )
    return {
      work: '16 sign-ins at once: p99 of a listener’s 64 KiB range over HTTP',
      product: `${measured.product.toFixed(1)} ms`,
      yardstick: `idle ${measured.yardstick.toFixed(1)} ms`,
      ratio: ratioText(measured.ratios),
      target: '–',
      met: Number.isFinite(median(measured.ratios)),
    }
  } finally {
    await library.stop()
  }
}

/** The 99th percentile of `work` in milliseconds while `others` runs sixteenfold. */
async function beside(work: () => Promise<void>, others?: () => Promise<unknown>): Promise<number> {
  const isOver = timeIsUp(roundMs)
  const keepOn = async () => {
    while (others && !isOver()) await others()
  }
  const busy = Promise.all(Array.from({ length: others ? atOnce : 0 }, keepOn))
  const time = await latencyPercentile(work, 0.99, isOver)
  await busy
  return time
}
