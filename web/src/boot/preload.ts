import { nextTask } from './next-task.ts'

/*
 * The two large libraries of the first page run in tasks of their own before the modules that use them: in one task,
 * a press on a slow phone would wait for both.
 */

/** Loads the replica's database module. */
export async function preloadReplica(): Promise<void> {
  await import('@fellowship/sync/client/database/app-database')
  await nextTask()
}

/** Loads the API client. */
export async function preloadCalls(): Promise<void> {
  await import('@fellowship/sync/call/call')
  await nextTask()
}
