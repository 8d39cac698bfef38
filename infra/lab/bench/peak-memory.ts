import { readFile, writeFile } from 'node:fs/promises'

/** Resets the kernel's peak memory counter (proc(5), clear_refs); the resident megabytes now. */
export async function resetPeak(pid: number): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  return statusMegabytes(pid, 'VmRSS')
}

/** The peak of resident megabytes since the last `resetPeak`. */
export const peakMegabytes = (pid: number): Promise<number> => statusMegabytes(pid, 'VmHWM')

async function statusMegabytes(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024) / 1e6
}
