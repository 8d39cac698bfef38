import { readdir, readFile } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { teachings } from '@fellowship/schema/teachings/teachings.contract'
import { call } from '@fellowship/sync/call/call'
import type { Area, BenchRow } from '../area.ts'
import { latencyPercentile, timeIsUp } from '../latency.ts'
import { startLibrary, type BenchLibrary } from '../library.ts'
import { peakMegabytes } from '../peak-memory.ts'
import { publish, spokenRecording } from '../recording.ts'
import { median, ratioText } from '../rounds.ts'

/** Three quarters of an hour of speech, as a sound desk records it. */
const recordingSeconds = 45 * 60
/** Seconds of one measurement of the API, and how many of them. */
const windowMs = 4_000
const rounds = 5
/** Clock ticks a second, which Linux has fixed for what it tells of processes. */
const ticks = 100

/** What measuring a recording and making its small copy costs, and what the API's users notice of it. */
export const copies: Area = {
  name: 'copies',
  needs: ['ffmpeg'],
  async run({ report, onEnd }) {
    const library = await startLibrary()
    onEnd(() => library.stop())
    const first = await publish(library, await spokenRecording(recordingSeconds), 'Bench')
    const hours = hoursOf((await listed(library)).find(({ audioUrl }) => audioUrl === first)!.duration)
    // The worker waits for a quiet while after an upload.
    const idle = [await apiLatency(library), await apiLatency(library), await apiLatency(library)]
    const worker = await workerOf(library)
    const busy: number[] = []
    for (let round = 0; round < rounds; round++) busy.push(await apiLatency(library))
    await copyMade(library)
    const cpu = (await cpuSeconds(worker)) / hours
    const memory = await peakMegabytes(worker)
    const ratios = busy.map((time) => time / median(idle))
    report(figure('measuring and copying an hour of recording, in CPU seconds', cpu, { unit: 's', most: 60 }))
    report(figure('the same: peak memory of its process', memory, { unit: 'MB', most: 150 }))
    report({
      work: 'the API (95th percentile) while a small copy is made',
      product: `${median(busy).toFixed(1)} ms`,
      yardstick: `idle ${median(idle).toFixed(1)} ms`,
      ratio: ratioText(ratios),
      target: '≤ 1.5 ×',
      met: median(ratios) <= 1.5,
    })
  },
}

const figure = (work: string, value: number, { unit, most }: { unit: string; most: number }): BenchRow => ({
  work,
  product: `${value.toFixed(0)} ${unit}`,
  yardstick: '–',
  ratio: '–',
  target: `≤ ${most} ${unit}`,
  met: value <= most,
})

const listed = ({ browser }: BenchLibrary) => call(teachings.list, {}, browser)

const apiLatency = (library: BenchLibrary) =>
  latencyPercentile(() => listed(library), 0.95, timeIsUp(windowMs))

/** The process that makes copies, once it has begun. */
async function workerOf({ pid }: BenchLibrary): Promise<number> {
  for (let tries = 0; tries < 600; tries++) {
    for (const child of await readdir('/proc')) {
      if (!/^\d+$/.test(child)) continue
      const [stat, command] = await Promise.all(
        ['stat', 'cmdline'].map((name) => readFile(`/proc/${child}/${name}`, 'utf8').catch(() => '')),
      )
      if (command!.includes('copy-child') && Number(fieldsOf(stat!)[1]) === pid) return Number(child)
    }
    await delay(100)
  }
  throw new Error('No small copy was begun within a minute.')
}

async function copyMade(library: BenchLibrary): Promise<void> {
  for (let tries = 0; tries < 1_200; tries++) {
    if ((await listed(library)).some(({ copyUrl }) => copyUrl !== null)) return
    await delay(250)
  }
  throw new Error('The small copy was not made within five minutes.')
}

/** The process lives on for ten seconds after its work. */
async function cpuSeconds(pid: number): Promise<number> {
  const fields = fieldsOf(await readFile(`/proc/${pid}/stat`, 'utf8'))
  return (Number(fields[11]) + Number(fields[12])) / ticks
}

/** The fields of `/proc/<pid>/stat` behind the name, which may hold spaces. */
const fieldsOf = (stat: string): string[] => stat.slice(stat.lastIndexOf(')') + 2).split(' ')

function hoursOf(duration: string | null): number {
  const seconds = (duration ?? '').split(':').reduce((total, part) => total * 60 + Number(part), 0)
  if (seconds === 0) throw new Error('The recording has no length.')
  return seconds / 3_600
}
