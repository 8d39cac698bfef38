import { readFile, writeFile } from 'node:fs/promises'

/** Makes the kernel count the peak anew (proc(5), clear_refs); the resident megabytes now. */
export async function restartPeak(pid: number): Promise<number> {
  await writeFile(`/proc/${pid}/clear_refs`, '5')
  return statusMegabytes(pid, 'VmRSS')
}

/** The most resident megabytes since the last `restartPeak`. */
export const peakMegabytes = (pid: number): Promise<number> => statusMegabytes(pid, 'VmHWM')

async function statusMegabytes(pid: number, name: 'VmRSS' | 'VmHWM'): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  return (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)![1]) * 1024) / 1e6
}
