import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { embeddedUser } from '../db/embedded.ts'

/** A script that works on the embedded database of a server that is about to be killed. */
export interface Beside {
  /** Resolves when the script has printed the word. */
  said(word: string): Promise<void>
  /** Ends the script and releases its locks. */
  end(): Promise<void>
}

/** Holds the locks of `statement`, so that the server blocks at a known point. */
export const holdLock = async (dataDir: string, statement: string): Promise<Beside> => {
  const beside = besideServer(
    dataDir,
    `await sql.begin(async (tx) => {
       await tx.unsafe('set local idle_in_transaction_session_timeout = 0')
       await tx.unsafe(${JSON.stringify(statement)})
       console.log('held')
       await new Promise((resolve) => setTimeout(resolve, 120_000))
     })`,
  )
  await beside.said('held')
  return beside
}

/** Blocks all writers of teachings: a recording is settled, but its teaching not yet written. */
export const holdWriters = (dataDir: string) => holdLock(dataDir, 'select 1 from sync_clock for update')

/**
 * From now on commits are durable but never acknowledged: they wait for a synchronous standby that does not exist.
 * `said('waiting')` resolves when the matching statement waits. Undo it with `releaseCommits` before the next start.
 */
export async function holdCommits(dataDir: string, statement: RegExp): Promise<Beside> {
  const beside = besideServer(
    dataDir,
    `await sql.unsafe("alter system set synchronous_standby_names = 'nobody'")
     await sql.unsafe('select pg_reload_conf()')
     const isSet = async () => (await sql.unsafe('show synchronous_standby_names'))[0].synchronousStandbyNames === 'nobody'
     while (!(await isSet())) await new Promise((resolve) => setTimeout(resolve, 20))
     console.log('held')
     const waiting = () => sql.unsafe("select 1 from pg_stat_activity where wait_event = 'SyncRep' and query ~* $1", [${JSON.stringify(statement.source)}])
     while ((await waiting()).length === 0) await new Promise((resolve) => setTimeout(resolve, 20))
     console.log('waiting')
     setTimeout(() => undefined, 120_000)`,
  )
  await beside.said('held')
  return beside
}

/** Undoes `holdCommits` in the files of a stopped database. */
export const releaseCommits = (dataDir: string): Promise<void> =>
  writeFile(path.join(dataDir, 'postgres/data/postgresql.auto.conf'), '')

/** Runs the script in another process, so that the end of the database does not fail the test. */
function besideServer(dataDir: string, script: string): Beside {
  const { socketFolder } = JSON.parse(readFileSync(path.join(dataDir, 'postgres/owner'), 'utf8')) as {
    socketFolder: string
  }
  // Plain JavaScript: loading TypeScript would take four times as long as all the rest of the script's start.
  const options = {
    host: socketFolder,
    path: `${socketFolder}/.s.PGSQL.5432`,
    user: embeddedUser,
    database: 'fellowship',
    pass: '',
    max: 1,
  }
  const code = `
    import postgres from 'postgres'
    const sql = postgres({ ...${JSON.stringify(options)}, transform: postgres.camel })
    ${script}`
  const child = spawn(process.execPath, ['--input-type=module', '-e', code], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const gone = once(child, 'exit')
  let printed = ''
  child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text))
  return {
    async said(word) {
      while (!printed.includes(word)) {
        const isOver = await Promise.race([
          gone.then(() => true),
          once(child.stdout, 'data').then(() => false),
        ])
        if (isOver && !printed.includes(word)) throw new Error(`The script ended before it said "${word}".`)
      }
    },
    async end() {
      child.kill('SIGKILL')
      await gone
    },
  }
}
