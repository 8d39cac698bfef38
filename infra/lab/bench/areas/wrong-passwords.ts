import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { call } from '@fellowship/sync/call/call'
import type { Area } from '../area.ts'
import { startSshd } from '../openssh.ts'
import { timeIsUp, latencyRow, latencyPercentile, latencyPercentileDuring } from '../latency.ts'
import { startLibrary } from '../library.ts'
import { sideBySide } from '../rounds.ts'
import { requestApi } from '../sound-desk.ts'
import { pinned } from '../tools.ts'

const tries = 1_000

/** The API's latency during a thousand wrong SFTP passwords, from one address and from many. */
export const wrongPasswords: Area = {
  name: 'wrong-passwords',
  needs: ['sshd'],
  async run({ report, onEnd }) {
    const library = await startLibrary()
    onEnd(() => library.stop())
    const sshd = await startSshd()
    onEnd(() => sshd.stop())
    await call(sftp.start, {}, library.browser)
    const { port } = await call(sftp.status, {}, library.browser)
    const request = requestApi(library)
    let measurements = 0
    for (const [from, perAddress] of [
      ['one address, shut out after twelve', tries],
      ['a hundred addresses', 10],
    ] as const) {
      // The same against OpenSSH's server shows the share of the guessing process itself.
      const guessed = (at: number, network: number) => async (round: number) =>
        latencyPercentileDuring(
          await guesser(at, `${round + 2 + network + (perAddress < tries ? 20 : 0)}`, perAddress),
          request,
          0.95,
        )
      for (const [beside, other] of [
        ['idle', () => latencyPercentile(request, 0.95, timeIsUp(2_000))],
        ["tried at OpenSSH's", guessed(sshd.port, 40)],
      ] as const) {
        // Each takes its time.
        const measured = await sideBySide(guessed(port, measurements * 4), other, 2)
        measurements += 1
        report(
          latencyRow(`1,000 wrong SFTP passwords from ${from}: p95 of the API meanwhile`, measured, beside),
        )
      }
    }
  },
}

/** Starts a guessing process that waits; the returned function lets it run and resolves when it has ended. */
async function guesser(port: number, network: string, perAddress: number): Promise<() => Promise<void>> {
  const script = path.join(import.meta.dirname, '../guess-passwords.ts')
  const given = [String(port), network, String(tries), String(perAddress)]
  const [command, args] = pinned('load', process.execPath, ['--import', 'tsx', script, ...given])
  const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  const exit = once(child, 'exit') as Promise<[number | null]>
  await once(child.stdout, 'data')
  return async () => {
    child.stdin.end('\n')
    const [code] = await exit
    if (code !== 0) throw new Error(`Guessing passwords ended with ${code}.`)
  }
}
