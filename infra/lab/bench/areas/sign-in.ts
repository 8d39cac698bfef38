import { mkdtemp, open, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { hash } from '@node-rs/argon2'
import { passwordHash } from '@fellowship/api/machine/password-hash'
import type { Area } from '../area.ts'
import { mebibyte } from '../recording.ts'
import { percentile, ratioText, sideBySide } from '../rounds.ts'
import { pin, unpin } from '../tools.ts'

const atOnce = 16
const roundMs = 2_000

/** File reads while passwords are hashed, against hashing on libuv's thread pool, which file reads share. */
export const signIn: Area = {
  name: 'sign-in',
  needs: [],
  async run({ report, onEnd }) {
    // Reader and hashing threads are one process here and need a core each.
    unpin(process.pid)
    onEnd(() => pin('load', process.pid))
    const folder = await mkdtemp(path.join(tmpdir(), 'bench-reads-'))
    onEnd(() => rm(folder, { recursive: true }))
    const file = path.join(folder, 'file')
    await writeFile(file, Buffer.alloc(8 * mebibyte, 1))
    const handle = await open(file, 'r')
    onEnd(() => handle.close())
    const passwords = passwordHash()
    onEnd(() => passwords.close())
    const piece = Buffer.alloc(64 * 1024)
    const read = () => handle.read(piece, 0, piece.length, Math.floor(Math.random() * 100) * 65_536)
    const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }
    const measured = await sideBySide(
      () => slowReads(read, () => passwords.hash('a password')),
      () => slowReads(read, () => hash('a password', cost)),
    )
    report({
      work: '16 sign-ins at once: p99 of concurrent file reads',
      product: `${measured.product.toFixed(2)} ms`,
      yardstick: `hashing on libuv’s thread pool ${measured.yardstick.toFixed(1)} ms`,
      ratio: ratioText(measured.ratios),
      target: '≤ 0.5 ms',
      met: measured.product <= 0.5,
    })
  },
}

/** The 99th percentile of reads in milliseconds, while sixteen hashes run at once. */
async function slowReads(read: () => Promise<unknown>, hashOnce: () => Promise<unknown>): Promise<number> {
  const end = performance.now() + roundMs
  const isOver = () => performance.now() >= end
  const hashing = async () => {
    while (!isOver()) await hashOnce()
  }
  const hashes = Promise.all(Array.from({ length: atOnce }, hashing))
  const times: number[] = []
  while (!isOver()) {
    const started = performance.now()
    await read()
    times.push(performance.now() - started)
    // Without a pause between reads this loop would itself be the load.
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await hashes
  return percentile(times, 0.99)
}
