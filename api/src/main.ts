/** The server process: reads the configuration, starts, serves, and drains on a signal. */
import { existsSync } from 'node:fs'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { church } from '@fellowship/schema/church'
import type { RenderPage } from '@fellowship/schema/pages/prerender-data'
import { createApp } from './app.ts'
import { checkMachine, oddSettings } from './config/check-machine.ts'
import { parseEnv, type Config } from './config/config.ts'
import { readEnv } from './config/env.ts'
import { applyEnvFile } from './config/env-file.ts'
import { startFailure } from './config/start-failure.ts'
import { clockWatch } from './db/age-sweeps.ts'
import { guardLostConnections } from './db/connection.ts'
import { logLoss } from './db/log-loss.ts'
import { checkRecordingsAtStart } from './features/audio/audio.ts'
import { interruptUnfinishedBackups } from './features/backup/backup.ts'
import { startCopies } from './features/copies/copies.ts'
import { ensureFirstAdministrator } from './features/auth/auth.ts'
import { watchProcesses } from './features/processes/processes.ts'
import { seedSitePassages } from './features/passages/passages.ts'
import { startImports } from './features/imports/import-worker.ts'
import { startSpeech } from './features/speech/speech-worker.ts'
import { startPush } from './features/push/push.ts'
import { startSftp } from './features/sftp/sftp-server.ts'
import { sweepInbox } from './features/inbox/inbox.ts'
import { clearSettlements, clearUnfinishedUploads } from './features/uploads/uploads.ts'
import { atMost } from './machine/concurrency.ts'
import { createLog, type Log } from './machine/log.ts'
import { isStoreDown } from './machine/storage/s3-client.ts'
import { startContext } from './start-context.ts'
import { startChores } from './start-chores.ts'

/**
 * Ends this process by `drain` at the first signal, with exit code 0. One that comes again within two seconds is the same
 * request: npm, a service manager and a terminal each pass it on. A later one exits at once, and so does a drain that
 * takes too long.
 *
 * @param drain calls `onStep` with the work it waits for, which is logged if it takes too long
 */
function stopOnSignal(
  log: Pick<Log, 'info' | 'error'>,
  drain: (onStep: (step: string) => void) => Promise<void>,
): void {
  let since: number | undefined
  let step = ''
  const stop = (signal: string) => {
    if (since !== undefined) {
      if (performance.now() - since > sameRequestMs) process.exit(1)
      return
    }
    since = performance.now()
    log.info({ signal }, 'stopping')
    setTimeout(() => {
      log.error({ step }, 'not everything ended in time; what runs is cut off')
      process.exit(1)
    }, longestMs).unref()
    drain((next) => void (step = next)).then(
      () => process.exit(0),
      (error: unknown) => {
        log.error({ err: error }, 'stopping failed')
        process.exit(1)
      },
    )
  }
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, stop)
}

const sameRequestMs = 2_000

/** Service managers kill after 30 seconds or more (Docker after 10, which the drain of requests alone stays within). */
const longestMs = 27_000
/** Where the first administrator begins, after signing in. */
const setUpAddress = `/?signin=&return=${encodeURIComponent('/admin?tab=content&part=set-up')}`

/** How long a start may go on after a signal; a database that does not answer would hold it up for ever. */
const mayStartOnMs = 15_000

/** How long running downloads and uploads may still finish; service managers wait about as long. */
const drainMs = 8_000
const lastNotesMs = 500

/** The others see the end anyway, a little later. */
const announceMs = 3_000

/** For background work that is broken off to note that, and to remove its files. */
const endsWithinMs = 2_000

/** How often a process looks whether the one that runs the chores for all has ended. */
const leadMs = 10_000

// Below the values that it uses.
await main()

async function main(): Promise<void> {
  const config = configOrExit()
  try {
    for (const check of [checkMachine, oddSettings])
      for (const sentence of await check(config)) console.error(sentence)
    const starting = start(config)
    // A signal that comes while it starts is honoured when it has started, so that the database is closed as ever.
    stopOnSignal(createLog(config.logLevel), async (onStep) => {
      onStep('the start')
      const stop = await Promise.race([starting, delay(mayStartOnMs, undefined)])
      await stop?.(onStep)
    })
    await starting
  } catch (error) {
    exit(`The product could not start: ${startFailure(error, config) ?? (error as Error).message}`)
  }
}

/** @returns the function that stops it, and calls `onStep` with the work it waits for */
async function start(config: Config): Promise<(onStep: (step: string) => void) => Promise<void>> {
  const started = await startContext(config)
  const { context, node } = started
  guardLostConnections((error) => logLoss(context, error, 'a database connection was lost'))
  for (const clear of [clearUnfinishedUploads, clearSettlements])
    await clear(context).catch((error: unknown) => {
      if (!isStoreDown(error)) throw error
      context.log.error({ err: error }, 'files of ended processes are in a bucket that does not answer')
    })
  await interruptUnfinishedBackups(context)
  await seedSitePassages(context)
  const first = await ensureFirstAdministrator(context)
  const server = await createApp(context, { webFolder: webFolder(), renderPage: await builtRenderer() })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(config.http.port, config.http.host, resolve)
  })
  const watchClock = clockWatch(context.sql)
  await watchClock()
  // Before the SFTP server starts, so that senders find a consistent drop folder.
  await sweepInbox(context).catch((error: unknown) =>
    context.log.error({ err: error }, 'the Inbox could not be swept'),
  )
  void checkRecordingsAtStart(context).catch((error: unknown) =>
    logLoss(context, error, 'the files of the library could not be looked at', 'error'),
  )
  const chores = startChores(context, { watchClock, node })
  const leading = setInterval(chores.lead, leadMs)
  const stopCopies = startCopies(context)
  const stopSpeech = startSpeech(context)
  const stopPush = startPush(context)
  const stopImports = startImports(context)
  const stopWatching = watchProcesses(context)
  const sftp = await startSftp(context)
  const { port } = server.address() as AddressInfo
  const host = ['0.0.0.0', '::', '127.0.0.1'].includes(config.http.host) ? 'localhost' : config.http.host
  console.log(`${church().name} is at http://${host}:${port}`)
  if (first?.generatedPassword) {
    console.log(`Administrator: ${first.email}  password: ${first.generatedPassword}  (shown this once)`)
    console.log(`Set up your site: http://${host}:${port}${setUpAddress}`)
  }

  return async (onStep) => {
    context.lifecycle.drain()
    clearInterval(leading)
    chores.stop()
    onStep('the other processes')
    await atMost(announceMs, node.announceEnd()).catch((error: unknown) =>
      logLoss(context, error, 'the end could not be announced'),
    )
    const ended = Promise.all([stopCopies(), stopSpeech(), stopImports()])
    stopPush()
    stopWatching()
    onStep('SFTP')
    await sftp.close().catch((error: unknown) => logLoss(context, error, 'SFTP was cut off', 'error'))
    onStep('requests')
    await endServer(server)
    onStep('background work')
    await atMost(endsWithinMs, ended)
    onStep('the database')
    await started.close()
  }
}

/** Lets running requests finish, within limits; idle connections end at once. */
async function endServer(server: Server): Promise<void> {
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  const idle = setInterval(() => server.closeIdleConnections(), 200)
  let isCutOff = false
  const late = setTimeout(() => {
    isCutOff = true
    server.closeAllConnections()
  }, drainMs)
  server.closeIdleConnections()
  await closed
  clearInterval(idle)
  clearTimeout(late)
  // Interrupted work is still noted, as in the history of backups, before the database closes.
  if (isCutOff) await delay(lastNotesMs)
}

function configOrExit(): Config {
  try {
    const { file, warnings } = applyEnvFile()
    if (file !== undefined) console.log(`Settings come from the environment and ${file}`)
    for (const sentence of warnings) console.error(sentence)
    return parseEnv(readEnv())
  } catch (error) {
    return exit((error as Error).message)
  }
}

function exit(sentence: string): never {
  console.error(sentence)
  process.exit(1)
}

/** Renders pages with the client's own components; the build puts it beside the server, a run from the sources has none. */
async function builtRenderer(): Promise<RenderPage | undefined> {
  const built = path.join(import.meta.dirname, 'prerender.mjs')
  if (!existsSync(built)) return undefined
  return ((await import(pathToFileURL(built).href)) as { renderPage: RenderPage }).renderPage
}

/** The folder of the built client, relative to the sources or to the built bundle. */
function webFolder(): string {
  const found = ['../../web/dist', '../web/dist']
    .map((relative) => path.join(import.meta.dirname, relative))
    .find((folder) => existsSync(folder))
  return found ?? path.join(import.meta.dirname, '../../web/dist')
}
