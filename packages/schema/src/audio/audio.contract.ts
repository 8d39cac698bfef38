import { z } from 'zod'
import { endpoint } from '../endpoint.ts'

/** A recording on the disk that no teaching refers to. */
const orphan = z.object({ name: z.string(), bytes: z.int(), modifiedAt: z.iso.datetime() })
export type Orphan = z.infer<typeof orphan>

/** Audio files on the disk, and how many of them teachings refer to. Sizes in bytes. */
const audioStats = z.object({
  users: z.int(),
  elders: z.int(),
  teachings: z.int(),
  totalFiles: z.int(),
  referencedFiles: z.int(),
  /** The files that a cleanup would delete now. */
  orphanedFiles: z.int(),
  totalSize: z.int(),
  orphanedSize: z.int(),
  orphans: z.array(orphan),
})
export type AudioStats = z.infer<typeof audioStats>

export const audio = {
  stats: endpoint({
    method: 'GET',
    path: '/api/audio-management/stats',
    access: 'admin',
    changes: false,
    summary: 'Counts of users, elders, teachings and recordings, and the orphaned recordings.',
    answer: audioStats,
  }),
  cleanup: endpoint({
    method: 'DELETE',
    path: '/api/audio-management/cleanup',
    access: 'admin',
    changes: true,
    summary:
      'Deletes recordings that nothing refers to and that are older than a day; the bin and replaced recordings keep theirs.',
    answer: z.object({ deleted: z.array(z.string()), errors: z.array(z.string()), kept: z.int() }),
  }),
}
