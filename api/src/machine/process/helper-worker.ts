import { fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import path from 'node:path'
import type { JobWorker } from '../worker-pool.ts'
import { limitedCommand } from './limited-command.ts'
import { environmentOfHelpers } from './processes.ts'

/** A program that runs apart from the server. */
export interface HelperProgram {
  readonly file: string
  readonly execArgv: readonly string[]
}

/** The built program `name`, or its source in `folder`, which the loader of development reads. */
export function helperProgram(folder: string, name: string): HelperProgram {
  const built = builtProgram(folder, name)
  if (built) return { file: built, execArgv: [] }
  return { file: path.join(folder, `${name}.ts`), execArgv: ['--import', 'tsx'] }
}

/**
 * The built program `name`: beside the bundle, or of the build that tests run after (TEST_BUILT), as the loader of development
 * takes a second of the processor for each start.
 */
export const builtProgram = (folder: string, name: string): string | undefined =>
  [folder, ...(process.env['TEST_BUILT'] === '1' ? [path.resolve(import.meta.dirname, '../../../dist')] : [])]
    .map((each) => path.join(each, `${name}.mjs`))
    .find((file) => existsSync(file))

/**
 * A process of its own for `workerPool`, for libraries in native code: the limits of a thread do not hold their memory, and
 * what breaks them ends the process that they are in. It ends with the server, whose channel it then loses.
 *
 * @param options.megabytes of memory that it may write to
 */
export function helperWorker(
  { file, execArgv }: HelperProgram,
  { args = [], megabytes }: { args?: readonly string[]; megabytes?: number } = {},
): JobWorker {
  const [execPath, withLimits] =
    megabytes === undefined
      ? [process.execPath, [...execArgv]]
      : limitedCommand(process.execPath, execArgv, { megabytes })
  const child = fork(file, args, {
    cwd: path.dirname(file),
    execPath,
    execArgv: withLimits,
    // None of the server's secrets.
    env: environmentOfHelpers(),
    // Buffers pass as they are.
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  return {
    // If it cannot be sent the process has ended, which is an event of its own.
    postMessage: (job) => void child.send(job as object, () => undefined),
    listen({ answered, failed, ended }) {
      const onExit = (_code: number | null, signal: string | null) => ended(signal)
      child.on('message', answered).on('error', failed).on('exit', onExit)
      return () => void child.off('message', answered).off('error', failed).off('exit', onExit)
    },
    ref() {
      child.ref()
      child.channel?.ref()
    },
    unref() {
      child.unref()
      child.channel?.unref()
    },
    terminate: () => void child.kill('SIGKILL'),
  }
}
