import { binDays } from '@fellowship/schema/teachings/bin.limits'
import type { Context } from '../../context.ts'
import { purgeBinned } from './bin.sql.ts'

/**
 * Deletes teachings for good that have been in the bin for more than 30 days.
 *
 * @returns the file names of their recordings
 */
export const purgeBin = ({ sql, clock }: Context): Promise<string[]> =>
  purgeBinned(sql, new Date(clock.now().getTime() - binDays * dayMs))

const dayMs = 24 * 60 * 60_000
