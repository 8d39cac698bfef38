import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import path from 'node:path'

/** Something that goes on in the embedded database of a server that is about to be killed. */
export interface Beside {
  /** Resolves when the script has said the word. */
  said(word: string): Promise<void>
  /** Ends it; what it locked is free again. */
  end(): Promise<void>
}

/** Locks as `statement` does until it is ended: whoever needs the same waits, and is at a place that a test knows. */
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

/** The lock of every writer of teachings: a recording then stands in its place, and its teaching is not written. */
export const holdWriters = (dataDir: string) => holdLock(dataDir, 'select 1 from sync_clock for update')

/**
 * From now on what is committed is kept, but nobody hears of it: every commit waits for a second server that never
 * comes. Resolves `said('waiting')` when the statement that matches waits so. To be undone by `letCommitsGo` before
 * the next start.
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

/** Undoes `holdCommits` in the files of a database whose server is gone. */
export const letCommitsGo = (dataDir: string): Promise<void> =>
  writeFile(path.join(dataDir, 'postgres/data/postgresql.auto.conf'), '')

/** A process of its own, so that the end of the database ends nothing else. */
function besideServer(dataDir: string, script: string): Beside {
  const { socketFolder } = JSON.parse(readFileSync(path.join(dataDir, 'postgres/owner'), 'utf8')) as {
    socketFolder: string
  }
  const connection = path.join(import.meta.dirname, '../db/connection.ts')
  const code = `
    import { connect } from ${JSON.stringify(connection)}
    const sql = connect({ socketFolder: ${JSON.stringify(socketFolder)}, database: 'fellowship' }, { max: 1 })
    ${script}`
  const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', code], {
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
