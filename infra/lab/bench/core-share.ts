import { existsSync } from 'node:fs'
import { mkdir, rmdir, writeFile } from 'node:fs/promises'
import path from 'node:path'

const periodMicroseconds = 100_000
const [first, second] = ['/sys/fs/cgroup/cpu', '/sys/fs/cgroup']

/**
 * Gives a process that share of one core and no more, as on a machine of its own, by a control group (version 1 or 2).
 *
 * @param share 0.25 for a quarter
 * @returns ends that
 * @throws where this user may not make control groups
 */
export async function limitToShare(pid: number, share: number): Promise<() => Promise<void>> {
  const isFirst = existsSync(first)
  const group = path.join(isFirst ? first : second, `bench-${pid}`)
  const quota = Math.round(periodMicroseconds * share)
  await mkdir(group)
  if (isFirst) {
    await writeFile(path.join(group, 'cpu.cfs_period_us'), String(periodMicroseconds))
    await writeFile(path.join(group, 'cpu.cfs_quota_us'), String(quota))
  } else await writeFile(path.join(group, 'cpu.max'), `${quota} ${periodMicroseconds}`)
  await writeFile(path.join(group, 'cgroup.procs'), String(pid))
  return async () => {
    // Back to where everything is: a group with a process stays.
    await writeFile(path.join(path.dirname(group), 'cgroup.procs'), String(pid)).catch(() => undefined)
    await rmdir(group)
  }
}
