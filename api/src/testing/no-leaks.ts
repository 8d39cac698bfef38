import { expect } from 'vitest'
import { parseEnv } from '../config/config.ts'
import { letSweepsGoOn } from '../db/age-sweeps.ts'
import { sweepUploads } from '../features/uploads/upload-sweep.ts'
import { startContext } from '../start-context.ts'
import { letDaysPass } from './test-db.ts'
import { storedFiles } from './multipart.ts'

/**
 * Expects of a stopped server that all uploads have ended and that a sweep removes leftovers of crashes.
 *
 * @param undone hashes of recordings whose teachings a restore took away: their files may be there
 */
export async function expectNoLeaks(dataDir: string, undone: ReadonlySet<string> = new Set()): Promise<void> {
  const { context, close } = await startContext(parseEnv({ DATA_DIR: dataDir, LOG_LEVEL: 'silent' }))
  try {
    await letDaysPass(context.sql, 31)
    await sweepUploads(context)
    // It stops if a crash left many, until an administrator presses Go on.
    await letSweepsGoOn(context.sql)
    await sweepUploads(context)
    expect(await context.storage.partial.list()).toEqual([])
    const { staging, audio } = await storedFiles(dataDir)
    expect(staging).toEqual([])
    const rows = await context.sql<{ name: string }[]>`
      select substr(url, 8) as name from teachings, unnest(array[audio_url, copy_url]) as url
      where url is not null`
    const names = new Set(rows.map(({ name }) => name))
    const kept = audio.filter((name) => names.has(name) || !undone.has(name.slice(0, 64)))
    expect(kept.sort()).toEqual([...names].sort())
  } finally {
    await close()
  }
}
