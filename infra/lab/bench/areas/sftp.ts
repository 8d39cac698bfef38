import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { authorizedKeysFile } from '@fellowship/api/features/sftp/sftp'
import { hasNativeCiphers } from '@fellowship/api/machine/ssh/ssh-private-parts'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { call } from '@fellowship/sync/call/call'
import type { Area, Run } from '../area.ts'
import { startLibrary } from '../library.ts'
import { startSshd, transfer, type SftpPlace, type Sshd } from '../openssh.ts'
import { longRecording, recordingBytes } from '../recording.ts'
import { median, ratioText, sideBySide } from '../rounds.ts'

const nativePart = { ciphers: "by ssh2's native part", target: 1 }
const nodesCiphers = { ciphers: "by Node's own ciphers", target: 0.9 }

/**
 * 100 MB up and down with OpenSSH's client, against OpenSSH's server; also without the native part of ssh2, which is
 * missing if the machine of the installation has no compiler.
 */
export const sftpTransfer: Area = {
  name: 'sftp',
  needs: ['sftp', 'sshd'],
  async run(run) {
    const sshd = await startSshd()
    run.onEnd(() => sshd.stop())
    await measureBothWays(run, sshd, hasNativeCiphers ? nativePart : nodesCiphers)
    const hook = pathToFileURL(path.join(import.meta.dirname, '../without-native-ssh.mjs')).href
    if (hasNativeCiphers) await measureBothWays(run, sshd, nodesCiphers, { NODE_OPTIONS: `--import=${hook}` })
  },
}

async function measureBothWays(
  { report, onEnd }: Run,
  sshd: Sshd,
  { ciphers, target }: typeof nativePart,
  env: Record<string, string> = {},
): Promise<void> {
  const library = await startLibrary({ env })
  onEnd(() => library.stop())
  await writeFile(authorizedKeysFile(library.dataDir), sshd.publicKey)
  await call(sftp.start, {}, library.browser)
  const { username, port } = await call(sftp.status, {}, library.browser)
  const ours: SftpPlace = { username, port, keyFile: sshd.keyFile, folder: '/' }

  const file = path.join(sshd.folder, 'recording.mp3')
  await writeFile(file, await longRecording(recordingBytes, 0))
  const back = path.join(sshd.folder, 'back.mp3')
  for (const [way, commands] of [
    ['put', (place: SftpPlace) => `put "${file}" "${partialName(place)}"`],
    ['got', (place: SftpPlace) => `get "${partialName(place)}" "${back}"`],
  ] as const) {
    const measured = await sideBySide(
      () => speed(ours, commands(ours)),
      () => speed(sshd, commands(sshd)),
    )
    report({
      work: `100 MB ${way} by SFTP, ${ciphers}`,
      product: `${measured.product.toFixed(0)} MB/s`,
      yardstick: `OpenSSH's sftp-server ${measured.yardstick.toFixed(0)} MB/s`,
      ratio: ratioText(measured.ratios),
      target: `≥ ${target.toFixed(1)} ×`,
      met: median(measured.ratios) >= target,
    })
  }
}

/** A name for unfinished files, so that only the transfer is measured and nothing is published. */
const partialName = ({ folder }: SftpPlace) => `${folder}bench.mp3.filepart`

/** Megabytes per second, without the time to connect and sign in. */
async function speed(place: SftpPlace, commands: string): Promise<number> {
  const connecting = await transfer(place, 'pwd')
  const all = await transfer(place, commands)
  return recordingBytes / 1e6 / ((all - connecting) / 1000)
}
