import { z } from 'zod'
import { endpoint } from '../endpoint.ts'
import { plainLine } from '../plain-text.ts'

/** Lines of the audit log in one response, and characters of a search in it. */
export const auditLimits = { page: 50, search: 255 } as const

/** The lines that stay in the log; older ones go into its archive, and the oldest of that are deleted. */
export const auditBudget = {
  days: 730,
  bytes: 64_000_000,
  archiveBytes: 128_000_000,
} as const

/** One entry: the person, the action, its subject and its time (ISO 8601). */
const auditLine = z.object({
  id: z.int(),
  at: z.iso.datetime(),
  actor: z.string(),
  action: z.string(),
  subject: z.string().nullable(),
  details: z.record(z.string(), z.unknown()),
})
export type AuditLine = z.infer<typeof auditLine>

const text = plainLine('Search').max(auditLimits.search).optional()

export const audit = {
  list: endpoint({
    method: 'GET',
    path: '/api/admin/audit',
    access: 'admin',
    changes: false,
    summary: 'Who changed what, newest first; filtered by area, person and text, with paging.',
    query: z.object({
      /** The kind of the subject: 'elder', 'user' … */
      area: text,
      actor: text,
      /** Text anywhere in the action, the subject or the person. */
      q: text,
      /** Only lines older than this one. */
      before: z.coerce.number().int().min(1).optional(),
      limit: z.coerce.number().int().min(1).max(auditLimits.page).default(auditLimits.page),
    }),
    answer: z.object({
      lines: z.array(auditLine),
      /** Whether there are older ones. */
      more: z.boolean(),
      /** Values to filter by. */
      areas: z.array(z.string()),
      actors: z.array(z.string()),
    }),
  }),
}
