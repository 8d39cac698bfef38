import path from 'node:path'
import type { Area, Figure } from '../area.ts'
import { after, latencyFigure, slowest, slowestDuring } from '../latency.ts'
import { startLibrary, type Library } from '../library.ts'
import { startSshd, transfer, type SftpPlace, type Sshd } from '../openssh.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'
import { askApi, openSftp, recordingBytes, recordingFile } from '../sound-desk.ts'

/** 100 MB there and back with OpenSSH's client, beside OpenSSH's own server; and what the API notices of it. */
export const sftpTransfer: Area = {
  name: 'sftp',
  needs: ['sftp', 'sshd'],
  async run() {
    const library = await startLibrary()
    const sshd = await startSshd()
    try {
      const ours = await openSftp(library, sshd)
      const file = await recordingFile(sshd, 0)
      return [
        await figure('100 MB put by SFTP', ours, sshd, put(file), put(file)),
        await figure('100 MB got by SFTP', ours, sshd, get(file), get(file)),
        await taken(ours, sshd),
        ...(await meanwhile(library, ours, sshd, file)),
      ]
    } finally {
      await sshd.stop()
      await library.stop()
    }
  },
}

type Commands = (place: SftpPlace, round: number) => string | Promise<string>

/** Under a name for files that are not whole yet: the transfer, and nothing else. */
const onTheWay = ({ folder }: SftpPlace) => `${folder}bench.mp3.filepart`
const put =
  (file: string): Commands =>
  (place) =>
    `put "${file}" "${onTheWay(place)}"`
const get =
  (file: string): Commands =>
  (place) =>
    `get "${onTheWay(place)}" "${path.join(path.dirname(file), 'back.mp3')}"`

/** Megabytes a second, without what connecting and signing in take. */
async function speed(place: SftpPlace, commands: string): Promise<number> {
  const connecting = await transfer(place, 'pwd')
  const all = await transfer(place, commands)
  return recordingBytes / 1e6 / ((all - connecting) / 1000)
}

async function figure(
  work: string,
  ours: SftpPlace,
  sshd: Sshd,
  product: Commands,
  yardstick: Commands,
): Promise<Figure> {
  const measured = await sideBySide(
    async (round) => speed(ours, await product(ours, round)),
    async (round) => speed(sshd, await yardstick(sshd, round)),
  )
  return {
    work,
    product: `${measured.product.toFixed(0)} MB/s`,
    yardstick: `OpenSSH's sftp-server ${measured.yardstick.toFixed(0)} MB/s`,
    ratio: ratioText(measured.ratios),
    target: '≥ 1.0 ×',
    met: median(measured.ratios) >= 1,
  }
}

/** As the sound desk does it: when the client is done, the recording is in the library. */
async function taken(ours: SftpPlace, sshd: Sshd): Promise<Figure> {
  let number = 0
  const measured = await figure(
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
 * What the API notices; and of as much sent to OpenSSH's server on the same machine, whose client and core are the same: the
 * share that is not the product's.
 */
async function meanwhile(library: Library, ours: SftpPlace, sshd: Sshd, file: string): Promise<Figure[]> {
  const ask = askApi(library)
  const whileSendingTo = (place: SftpPlace) => () =>
    slowestDuring(() => transfer(place, Array(3).fill(put(file)(place, 0)).join('\n')), ask, 0.95)
  const nobody = () => slowest(ask, 0.95, after(2_000))
  const figures: Figure[] = []
  for (const [beside, other] of [
    ['nobody sending', nobody],
    ["sent to OpenSSH's", whileSendingTo(sshd)],
  ] as const) {
    const measured = await sideBySide(whileSendingTo(ours), other)
    figures.push(latencyFigure('three times 100 MB put by SFTP: p95 of the API meanwhile', measured, beside))
  }
  return figures
}
