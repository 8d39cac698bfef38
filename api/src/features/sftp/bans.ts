import { sftpGuards } from '@fellowship/schema/sftp/sftp.limits'
import type { Context } from '../../context.ts'
import { bansAfter, deleteBansBefore, putBan } from './sftp.sql.ts'

/** Addresses that tried too many wrong passwords. Asked at every connection, so it is kept in memory. */
export function banList({ sql, clock, log }: Context) {
  let until = new Map<string, number>()
  const wrong = new Map<string, number[]>()
  const banMs = sftpGuards.banMinutes * 60_000
  return {
    isBanned: (address: string) => (until.get(address) ?? 0) > clock.now().getTime(),
    /** Reads what is known anew: an administrator may have let somebody in again. */
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
      log.warn({ address }, 'an address is shut out of SFTP after too many wrong passwords')
      await putBan(sql, { address, tries: tries.length, until: new Date(now + banMs) })
    },
  }
}

const mostAddresses = 10_000
