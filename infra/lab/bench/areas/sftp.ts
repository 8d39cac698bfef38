import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { hasNativeCiphers } from '@fellowship/api/machine/ssh/ssh-ciphers'
import type { Area, BenchRow, Run } from '../area.ts'
import { timeIsUp, latencyRow, latencyPercentile, latencyPercentileDuring } from '../latency.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { startSshd, transfer, type SftpPlace, type Sshd } from '../openssh.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { requestApi, openSftp, recordingBytes, recordingFile } from '../sound-desk.ts'

/**
 * 100 MB up and down with OpenSSH's client, against OpenSSH's server; and the API's latency meanwhile. Up and down also
 * without the native part of ssh2, which an installation without a compiler has not.
 */
export const sftpTransfer: Area = {
  name: 'sftp',
  needs: ['sftp', 'sshd'],
  async run({ report, onEnd }) {
    const sshd = await startSshd()
    onEnd(() => sshd.stop())
    const file = await recordingFile(sshd, 0)
    const library = await startLibrary()
    onEnd(() => library.stop())
    const ours = await openSftp(library, sshd)
    const ciphers = hasNativeCiphers ? nativePart : nodesCiphers
    await measureBothWays(report, { ours, sshd, file, ciphers })
    report(await measurePublishing(ours, sshd))
    await measureApiLatency(report, { library, ours, sshd, file })
    if (hasNativeCiphers) await measureWithoutNative({ report, onEnd }, sshd, file)
  },
}

const nativePart = "by ssh2's native part"
const nodesCiphers = "by Node's own ciphers"

async function measureWithoutNative({ report, onEnd }: Run, sshd: Sshd, file: string): Promise<void> {
  const hook = pathToFileURL(path.join(import.meta.dirname, '../without-native-ssh.mjs')).href
  const library = await startLibrary({ env: { NODE_OPTIONS: `--import=${hook}` } })
  onEnd(() => library.stop())
  const ours = await openSftp(library, sshd)
  await measureBothWays(report, { ours, sshd, file, ciphers: nodesCiphers })
}

async function measureBothWays(
  report: Run['report'],
  { ours, sshd, file, ciphers }: { ours: SftpPlace; sshd: Sshd; file: string; ciphers: string },
): Promise<void> {
  report(await measureTransfer(`100 MB put by SFTP, ${ciphers}`, ours, sshd, put(file), put(file)))
  report(await measureTransfer(`100 MB got by SFTP, ${ciphers}`, ours, sshd, get(file), get(file)))
}

type Commands = (place: SftpPlace, round: number) => string | Promise<string>

/** A name for unfinished files, so that only the transfer is measured and nothing is published. */
const partialName = ({ folder }: SftpPlace) => `${folder}bench.mp3.filepart`
const put =
  (file: string): Commands =>
  (place) =>
    `put "${file}" "${partialName(place)}"`
const get =
  (file: string): Commands =>
  (place) =>
    `get "${partialName(place)}" "${path.join(path.dirname(file), 'back.mp3')}"`

/** Megabytes per second, without the time to connect and sign in. */
async function speed(place: SftpPlace, commands: string): Promise<number> {
  const connecting = await transfer(place, 'pwd')
  const all = await transfer(place, commands)
  return recordingBytes / 1e6 / ((all - connecting) / 1000)
}

async function measureTransfer(
  work: string,
  ours: SftpPlace,
  sshd: Sshd,
  product: Commands,
  yardstick: Commands,
): Promise<BenchRow> {
  const target = work.includes(nodesCiphers) ? 0.9 : 1
  const measured = await sideBySide(
    async (round) => speed(ours, await product(ours, round)),
    async (round) => speed(sshd, await yardstick(sshd, round)),
  )
  return {
    work,
    product: `${measured.product.toFixed(0)} MB/s`,
    yardstick: `OpenSSH's sftp-server ${measured.yardstick.toFixed(0)} MB/s`,
    ratio: ratioText(measured.ratios),
    target: `≥ ${target.toFixed(1)} ×`,
    met: median(measured.ratios) >= target,
  }
}

/** Under a valid name: when the client is done, the recording is in the library. */
async function measurePublishing(ours: SftpPlace, sshd: Sshd): Promise<BenchRow> {
  let number = 0
  const measured = await measureTransfer(
    '100 MB put by SFTP into the library (probed, hashed, a teaching)',
    ours,
    sshd,
    async () => {
      number += 1
      return `put "${await recordingFile(sshd, number)}" '/2026-11-15_Sample-Speaker"Bench ${number}".mp3'`
    },
    async () => put(await recordingFile(sshd, number))(sshd, number),
  )
  return { ...measured, target: '–' }
}

/**
 * The API's latency during transfers to the product, against idle, and against the same transfers to OpenSSH's server: the
 * share of the client and the machine.
 */
async function measureApiLatency(
  report: Run['report'],
  { library, ours, sshd, file }: { library: BenchLibrary; ours: SftpPlace; sshd: Sshd; file: string },
): Promise<void> {
  const request = requestApi(library)
  const whileSendingTo = (place: SftpPlace) => () =>
    latencyPercentileDuring(
      () => transfer(place, Array(3).fill(put(file)(place, 0)).join('\n')),
      request,
      0.95,
    )
  const idle = () => latencyPercentile(request, 0.95, timeIsUp(2_000))
  for (const [beside, other] of [
    ['idle', idle],
    ["sent to OpenSSH's", whileSendingTo(sshd)],
  ] as const) {
    const measured = await sideBySide(whileSendingTo(ours), other)
    report(latencyRow('three times 100 MB put by SFTP: p95 of the API meanwhile', measured, beside))
  }
}
