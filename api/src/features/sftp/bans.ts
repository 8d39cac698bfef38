import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import type { Context } from '../../context.ts'
import { bansAfter, deleteBansBefore, putBan } from './sftp.sql.ts'

/** Addresses banned after too many wrong passwords; in memory, because every connection is checked. */
export function banList({ sql, clock, log }: Context) {
  let until = new Map<string, number>()
  const wrong = new Map<string, number[]>()
  const banMs = sftpGuards.banMinutes * 60_000
  return {
    isBanned: (address: string) => (until.get(address) ?? 0) > clock.now().getTime(),
    /** Reloads the bans: an administrator may have lifted one. */
    async refresh(): Promise<void> {
      await deleteBansBefore(sql, clock.now())
      const before = until
      until = new Map((await bansAfter(sql, clock.now())).map((ban) => [ban.address, ban.until.getTime()]))
      for (const address of before.keys()) if (!until.has(address)) wrong.delete(address)
    },
    async noteWrongTry(address: string): Promise<void> {
      const now = clock.now().getTime()
      const tries = [...(wrong.get(address) ?? []).filter((at) => now - at < banMs), now]
      wrong.delete(address)
      wrong.set(address, tries)
      if (wrong.size > mostAddresses) wrong.delete(wrong.keys().next().value!)
      if (tries.length < sftpGuards.triesBeforeBan || this.isBanned(address)) return
      until.set(address, now + banMs)
      log.warn({ address }, 'an address is banned from SFTP after too many wrong passwords')
      await putBan(sql, { address, tries: tries.length, until: new Date(now + banMs) })
    },
  }
}

const mostAddresses = 10_000
