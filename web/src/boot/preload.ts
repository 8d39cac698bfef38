import { nextTask } from './next-task.ts'

/*
 * The two large libraries that a page stands on behind its first sight are run in tasks of their own, before the parts
 * that use them: on a slow phone both in one go would keep somebody waiting who presses a button just then.
 */

/** The device's copy can be opened. */
export async function replicaAhead(): Promise<void> {
  await import('@fellowship/sync/client/database')
  await nextTask()
}

/** The server can be called. */
export async function callAhead(): Promise<void> {
  await import('@fellowship/sync/call/call')
  await nextTask()
}
