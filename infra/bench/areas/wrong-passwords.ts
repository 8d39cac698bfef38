import { spawn } from 'node:child_process'
import { once } from 'node:events'
import path from 'node:path'
import { sftp } from '@fellowship/schema/sftp/sftp.contract'
import { call } from '@fellowship/sync/call/call'
import type { Area, Figure } from '../area.ts'
import { startSshd } from '../openssh.ts'
import { after, latencyFigure, slowest, slowestDuring } from '../latency.ts'
import { startLibrary } from '../library.ts'
import { sideBySide } from '../rounds.ts'
import { askApi } from '../sound-desk.ts'
import { pinned } from '../tools.ts'

const tries = 1_000

/** A thousand wrong SFTP passwords, from one address and from many: what the API notices of them. */
export const wrongPasswords: Area = {
  name: 'wrong-passwords',
  needs: ['sshd'],
  async run() {
    const library = await startLibrary()
    const sshd = await startSshd()
    try {
      await call(sftp.start, {}, library.browser)
      const { port } = await call(sftp.status, {}, library.browser)
      const ask = askApi(library)
      const figures: Figure[] = []
      for (const [from, perAddress] of [
        ['one address, shut out after twelve', tries],
        ['a hundred addresses', 10],
      ] as const) {
        // Of what they cost, the guessing itself and its core are a part: OpenSSH's server shows how much.
        const guessed = (at: number, network: number) => async (round: number) =>
          slowestDuring(
            await guesser(at, `${round + 2 + network + (perAddress < tries ? 20 : 0)}`, perAddress),
            ask,
            0.95,
          )
        for (const [beside, other] of [
          ['nobody trying', () => slowest(ask, 0.95, after(2_000))],
          ["tried at OpenSSH's", guessed(sshd.port, 40)],
        ] as const) {
          // Each takes its time.
          const measured = await sideBySide(guessed(port, figures.length * 4), other, 2)
          figures.push(
            latencyFigure(
              `1,000 wrong SFTP passwords from ${from}: p95 of the API meanwhile`,
              measured,
              beside,
            ),
          )
        }
      }
      return figures
    } finally {
      await sshd.stop()
      await library.stop()
    }
  },
}

/** A process that is ready to guess; the function lets it begin and resolves when it has ended. */
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
