import { binDays } from '@fellowship/schema/teachings/bin.limits'
import type { Context } from '../../context.ts'
import { maySweep } from '../../db/age-sweeps.ts'
import { binCounts, purgeBinned } from './bin.sql.ts'

/**
 * Deletes teachings for good that have been in the bin for more than 30 days.
 *
 * @returns the file names of their recordings
 */
export async function purgeBin({ sql }: Pick<Context, 'sql'>): Promise<string[]> {
  const counts = await binCounts(sql, binDays)
  return (await maySweep(sql, { name: 'bin', ...counts })) ? purgeBinned(sql, binDays) : []
}
