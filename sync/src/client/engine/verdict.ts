import type { ProblemCode } from '@fellowship/schema/problem'
import { CallError } from '../../call/call-error.ts'

/**
 * The meaning of a failed request for its entry. Success is not in this list: an entry is done only when the
 * body parses by the call's declared answer.
 *
 * refused: it will never be accepted as it is · needs a person: someone has to decide · sign in: the session has ended ·
 * again: later, after a backoff · begin anew: the target of the request is missing on the server, or not as expected
 */
export type Verdict = 'refused' | 'needs a person' | 'sign in' | 'again' | 'begin anew'

/** The verdict on a failure. Only our server's own errors, which have a code, refuse anything. */
export function verdictOf(error: unknown): Verdict {
  if (!(error instanceof CallError)) return 'again'
  const { code, status } = error
  if (code !== undefined) return byCode[code] ?? byStatus(status)
  // An answer to HEAD has no body. A page or JSON without our code is a proxy's or a captive portal's.
  return error.isEmpty ? (withoutBody[status] ?? 'again') : 'again'
}

const byCode: Partial<Record<ProblemCode, Verdict>> = {
  unauthorized: 'sign in',
  revision_conflict: 'needs a person',
  duplicate: 'needs a person',
  not_found: 'begin anew',
  upload_gone: 'begin anew',
  upload_damaged: 'begin anew',
  upload_exists: 'begin anew',
  upload_offset: 'begin anew',
  upload_incomplete: 'begin anew',
  csrf: 'again',
  upgrade_required: 'again',
}

const withoutBody: Partial<Record<number, Verdict>> = { 401: 'sign in', 404: 'begin anew', 410: 'begin anew' }

const byStatus = (status: number): Verdict =>
  status >= 500 || [408, 423, 425, 429].includes(status) ? 'again' : 'refused'
