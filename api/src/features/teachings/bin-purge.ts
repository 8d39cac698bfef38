import { binDays } from '@fellowship/schema/teachings/bin.limits'
import type { Context } from '../../context.ts'
import { purgeBinned } from './bin.sql.ts'

/**
 * Forgets teachings that were deleted more than 30 days ago.
 *
 * @returns the file names of the recordings they had
 */
export const purgeBin = ({ sql, clock }: Context): Promise<string[]> =>
  purgeBinned(sql, new Date(clock.now().getTime() - binDays * dayMs))

const dayMs = 24 * 60 * 60_000
