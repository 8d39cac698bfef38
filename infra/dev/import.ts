/**
 * `npm run import -- SOURCE [--dry-run] [--yes] [--json]`: moves a library in from a podcast feed or an export, by address or
 * file. Beside a running product that one does the work; else this command does it.
 */
import { open } from 'node:fs/promises'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { createInterface } from 'node:readline/promises'
import { parseArgs } from 'node:util'
import type { Config } from '@fellowship/api/config/config'
import type { Database } from '@fellowship/api/db/connection'
import { databaseLocks } from '@fellowship/api/db/locks'
import { importWorker } from '@fellowship/api/features/imports/import-worker'
import {
  confirmImport,
  createImport,
  listImports,
  readImport,
  undoImport,
} from '@fellowship/api/features/imports/imports'
import type { Source } from '@fellowship/api/features/imports/sources'
import { textOfBytes } from '@fellowship/api/features/imports/text-of-bytes'
import { systemClock } from '@fellowship/api/machine/clock'
import { atMost } from '@fellowship/api/machine/concurrency'
import { startContext } from '@fellowship/api/start-context'
import type { ImportAnswers, ImportReport } from '@fellowship/schema/imports/imports.contract'
import { importLimits } from '@fellowship/schema/imports/imports.limits'
import { Problem } from '@fellowship/schema/problem'
import { fail, openProduct } from './open-product.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    'dry-run': { type: 'boolean', default: false },
    yes: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    /** Days that are added to every date. */
    shift: { type: 'string' },
    /** The speaker of items that name none. */
    speaker: { type: 'string' },
    /** Writes names that look like one person as one. */
    merge: { type: 'boolean', default: false },
    /** Reads the source again every week. */
    follow: { type: 'boolean', default: false },
  },
})
const [given] = positionals
if (!given || positionals.length > 1)
  fail('Say what to move in: npm run import -- https://church.example/feed (or a file: an export or a feed)')
if (values.shift !== undefined && !/^[+-]?[01]$/.test(values.shift))
  fail('--shift is a number of days: -1, 0 or 1.')

const say = (sentence: string) => (values.json ? console.error(sentence) : console.log(sentence))
const by = { id: null, name: 'the server’s keeper' }
const source = await sourceOf(given)
const { config, database } = await openProduct('import', { mayJoin: true })
const isRunning = await someProcessRuns(database.place, database.sql)
if (isRunning) {
  await moveIn(database.sql, () => undefined)
  await database.close()
} else {
  // The worker needs the files of the product as well.
  await database.close()
  await moveInAlone(config)
}
process.exit(process.exitCode ?? 0)

async function moveInAlone(own: Config): Promise<void> {
  const { context, close } = await startContext({ ...own, logLevel: 'error' })
  const worker = importWorker(context)
  const stop = () => {
    void atMost(2_000, worker.stop())
      .then(close)
      .finally(() => process.exit(130))
  }
  process.once('SIGINT', stop).once('SIGTERM', stop)
  let failure: Error | undefined
  await moveIn(context.sql, () => {
    if (failure) throw failure
    worker.runAll().catch((error: Error) => (failure = error))
  })
  await worker.stop()
  await close()
}

/** @param work is called again and again while the import waits for work */
async function moveIn(sql: Database, work: () => void): Promise<void> {
  const node = {
    async tell(change: string, about = '', tx: Pick<Database, 'unsafe'> = sql) {
      await tx.unsafe('select pg_notify($1, $2)', [change, about])
    },
  }
  const deps = { sql, clock: systemClock, node, changes: { announce: () => undefined } as never }
  const unfinished = (await listImports(deps)).find(
    (one) => one.source === source.source && (one.state === 'importing' || one.state === 'paused'),
  )
  let id = unfinished?.id
  if (id !== undefined) say('The import of this source goes on.')
  id ??= (await createImport(deps, source, {}, by).catch(refused)).id
  let report = await until(id, ({ state }) => state !== 'reading')
  if (report.state === 'failed') return finish(report, 1)
  if (!unfinished) {
    show(report)
    if (values['dry-run'] || !(values.yes || (await isConfirmed(report)))) {
      await undoImport(deps, id, by)
      say('Nothing was written.')
      return finish(report, 0)
    }
  }
  if (report.state === 'ready' || report.state === 'paused')
    await confirmImport(deps, id, answersFor(report), by).catch(refused)
  report = await until(id, ({ state }) => state !== 'importing')
  say(`${report.counts.imported} teachings were moved in, ${report.counts.failed} could not be.`)
  for (const item of report.items)
    // One that moved in without its text or a handout has a reason too.
    if (item.outcome === 'failed' || (item.outcome === 'imported' && item.reason !== ''))
      say(`${item.date} ${item.title}: ${item.reason}`)
  if (report.failure) say(report.failure)
  finish(report, report.state === 'done' ? 0 : 1)

  async function until(of: string, isOver: (report: ImportReport) => boolean): Promise<ImportReport> {
    let shown = -1
    for (;;) {
      work()
      await delay(300)
      const now = await readImport(deps, of)
      if (isOver(now)) return now
      const done = now.items.filter(({ outcome }) => outcome !== null).length
      if (done !== shown && now.state === 'importing') console.error(`${done} of ${now.counts.new}`)
      shown = done
    }
  }
}

function finish(report: ImportReport, code: number): void {
  if (report.state === 'failed') console.error(report.failure)
  if (values.json) console.log(JSON.stringify(report, undefined, 2))
  process.exitCode = code
}

function refused(error: unknown): never {
  if (error instanceof Problem) fail(error.message)
  throw error
}

function answersFor({ facts }: ImportReport): ImportAnswers {
  return {
    ...(values.shift !== undefined && { shiftDays: Number(values.shift) }),
    ...(values.speaker !== undefined && { speaker: values.speaker }),
    ...(values.merge && { speakers: facts.alike }),
    ...(values.follow && { follow: true }),
  }
}

function show({ counts, facts, items }: ImportReport): void {
  if (values.json) return
  for (const { date, speaker, title, verdict, reason } of items)
    console.log([date || '(no date)', verdict.padEnd(10), `${title} (${speaker})`, reason].join('  '))
  const days = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday']
  const dated = facts.weekdays.flatMap((count, at) =>
    count > 0 ? [`${count} ${days[at]}${count === 1 ? '' : 's'}`] : [],
  )
  // A table has no title.
  const name = facts.title || path.basename(source.source)
  console.log(`\n${name}: ${counts.total} items, ${counts.new} new, ${counts.same} in the library.`)
  console.log(`Dates: ${dated.join(', ')}.`)
  if (facts.shiftOffered !== 0)
    console.log(`Most dates are a day off. --shift ${facts.shiftOffered} moves them to a day of services.`)
  for (const [from, to] of Object.entries(facts.alike))
    console.log(`“${from}” looks like “${to}”. --merge writes such names as one.`)
}

async function isConfirmed({ counts }: ImportReport): Promise<boolean> {
  if (!process.stdin.isTTY) {
    say('Add --yes to move them in.')
    return false
  }
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const answer = await lines.question(`Move ${counts.new} teachings in? (y/N) `)
  lines.close()
  return /^y/i.test(answer)
}

async function sourceOf(text: string): Promise<Source> {
  if (/^https?:\/\//i.test(text)) return { kind: 'address', source: text, document: null }
  const file = path.resolve(text)
  const handle = await open(file).catch((error: NodeJS.ErrnoException) =>
    fail(`${text} cannot be read: ${error.code === 'ENOENT' ? 'there is no such file' : error.message}.`),
  )
  await using _ = handle
  if ((await handle.stat()).isDirectory() || /\.zip$/i.test(file))
    return { kind: 'folder', source: file, document: null }
  if ((await handle.stat()).size > importLimits.documentBytes)
    fail(`${text} is larger than ${importLimits.documentBytes / 1024 / 1024}MB.`)
  // PostgreSQL stores no NUL.
  const document = textOfBytes(await handle.readFile()).replaceAll('\0', '')
  return { kind: 'file', source: file, document }
}

/** Whether a process of the product serves this database. */
async function someProcessRuns(place: Parameters<typeof databaseLocks>[0], sql: Database): Promise<boolean> {
  const rows = await sql<{ owner: string }[]>`select owner from server_processes`
  if (rows.length === 0) return false
  const locks = await databaseLocks(place, sql)
  try {
    for (const { owner } of rows) if (await locks.isAlive(owner)) return true
    return false
  } finally {
    await locks.close()
  }
}
