import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterAll, describe, expect, inject, onTestFinished, test, vi } from 'vitest'
import { expectNoLeaks } from '@fellowship/api/testing/no-leaks'
import { processTree, stillRunning } from '@fellowship/api/testing/process-tree'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { call } from '@fellowship/sync/call/call'
import { servedRecordings } from './support/busy-product.ts'
import { libraryCalls } from './support/library-calls.ts'
import { administrator, signInByCall } from './support/people.ts'
import { startProduct, type Product } from './support/product.ts'
import { expectNothingHalf, terminate, type Whom } from './support/stopping.ts'
import { kindsOfWork, lacksPrograms, published, sha256 } from './support/work-under-way.ts'

// Runs in the soak, for minutes; stop.e2e.test.ts has everything under way at once, and the last of these ways to stop.
vi.setConfig({ testTimeout: 300_000 })

/** Whom SIGTERM comes to, and how often. */
const ways: Record<string, { times: number; whom: Whom }> = {
  npm: { times: 1, whom: (all) => all.slice(0, 1) },
  'the server': { times: 1, whom: (all) => all.filter(({ command }) => isServer(command)).slice(0, 1) },
  'all of them': { times: 1, whom: (all) => all },
  'all of them, twice in a second': { times: 2, whom: (all) => all },
}
const isServer = (command: string) => command.includes('api/dist/main.mjs')

const seconds = new Map<string, string[]>()
afterAll(() => {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  const head = row(['Under way', ...Object.keys(ways)])
  const rows = [...seconds].map(([work, cells]) => row([work, ...cells]))
  console.log(['Seconds from SIGTERM to the end of the last process', head, ...rows].join('\n'))
})

describe.each(Object.entries(kindsOfWork))('%s', (name, kind) => {
  test.skipIf(lacksPrograms(kind)).each(Object.entries(ways))(
    'SIGTERM to %s ends within 30 s and loses nothing',
    async (_, way) => {
      const { product, audioUrl, folder } = await startWithRecording()
      const work = await kind.begin({ product, folder, audioUrl })
      const processes = processTree(product.process.pid!)
      expect(processes.map(({ command }) => command).join('\n')).toMatch(/npm[^]*main\.mjs[^]*postgres/)
      const socketFolder = socketFolderOf(product)
      const from = performance.now()
      await terminate(way.whom(processes), way.times)
      await expect.poll(() => stillRunning(processes), { timeout: 30_000, interval: 20 }).toEqual([])
      const took = (performance.now() - from) / 1000
      seconds.set(name, [...(seconds.get(name) ?? []), took.toFixed(1)])
      await work.ended()
      // Includes processes that were started since, or have left the tree.
      expect(processesOn(product.dataDir)).toEqual([])
      expect(product.output()).not.toMatch(/"level":[56]0|"stack"|^\s+at .+:\d+|Error:|uncaught|unhandled/im)
      expect(readdirOrNone(socketFolder)).toEqual([])

      const again = await startProduct({}, { dataDir: product.dataDir })
      try {
        // Half of something is in no library.
        const whole = { Published: sha256(published.buffer) }
        expect(await servedRecordings(again)).toEqual(whole)
        const wanted = { ...whole, ...(await work.resume(again)) }
        await expect.poll(() => servedRecordings(again)).toEqual(wanted)
        await expectNothingHalf(again.dataDir)
      } finally {
        await again.stop()
      }
      expect(processesOn(product.dataDir)).toEqual([])
      await expectNoLeaks(product.dataDir)
    },
  )
})

/** Started by npm, with one recording; whatever is left of it is removed after the test. */
async function startWithRecording(): Promise<{ product: Product; audioUrl: string; folder: string }> {
  const product = await startProduct({}, { startedOnce: inject('startedOnce'), byNpm: true, keep: true })
  const folder = await mkdtemp(path.join(tmpdir(), 'stop-matrix-'))
  onTestFinished(async () => {
    for (const pid of processesOn(product.dataDir)) process.kill(pid, 'SIGKILL')
    for (const each of [product.dataDir, folder])
      await rm(each, { recursive: true, force: true, maxRetries: 10 })
  })
  // Their files come and go.
  await call(copies.change, { body: { paused: true } }, await signInByCall(product.url, administrator))
  const { audioUrl } = await libraryCalls(() => product.url).add(published, {})
  return { product, audioUrl: audioUrl!, folder }
}

/** The folder of PostgreSQL's socket while it runs. */
const socketFolderOf = ({ dataDir }: Product): string =>
  (JSON.parse(readFileSync(path.join(dataDir, 'postgres/owner'), 'utf8')) as { socketFolder: string })
    .socketFolder

function readdirOrNone(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The processes that name this data folder in their command or environment. */
function processesOn(dataDir: string): number[] {
  const names = (pid: string, file: string) => {
    try {
      return readFileSync(`/proc/${pid}/${file}`, 'utf8').includes(dataDir)
    } catch {
      // It has ended, or is the kernel's.
      return false
    }
  }
  return readdirSync('/proc')
    .filter((pid) => /^\d+$/.test(pid) && (names(pid, 'environ') || names(pid, 'cmdline')))
    .map(Number)
}
