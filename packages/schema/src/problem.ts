import { maxUploadMegabytes } from './uploads/uploads.limits.ts'

/**
 * Every error of the API: a stable code, its HTTP status and its sentence. Clients branch on the code, people read the
 * sentence; a throw site may give a more exact sentence.
 */
export const problems = {
  invalid_input: { status: 400, sentence: 'Invalid input' },
  malformed_json: { status: 400, sentence: 'The request body is not valid JSON.' },
  link_spent: { status: 400, sentence: 'This link was used already, or is too old. Request a new one.' },
  unauthorized: { status: 401, sentence: 'Unauthorized' },
  invalid_credentials: { status: 401, sentence: 'Email or password is incorrect.' },
  forbidden: { status: 403, sentence: 'You do not have permission to do this.' },
  csrf: {
    status: 403,
    sentence: 'This page is out of date. Reload it and try again. (The CSRF token is missing or wrong.)',
  },
  cross_site: { status: 403, sentence: 'Requests from other sites are not accepted.' },
  registration_closed: {
    status: 403,
    sentence: 'Registration is closed. Ask an administrator for an account.',
  },
  account_inactive: {
    status: 403,
    sentence: 'This account has been deactivated. Ask an administrator to activate it.',
  },
  not_found: { status: 404, sentence: 'Not found' },
  method_not_allowed: { status: 405, sentence: 'This address does not accept that method.' },
  too_slow: { status: 408, sentence: 'The request took too long to arrive. Try again.' },
  duplicate: { status: 409, sentence: 'Duplicate sermon detected' },
  email_taken: { status: 409, sentence: 'An account with this email already exists.' },
  last_administrator: { status: 409, sentence: 'This is the last active administrator.' },
  revision_conflict: {
    status: 409,
    sentence: 'This teaching was changed by someone else since you opened it.',
  },
  idempotency_mismatch: {
    status: 422,
    sentence: 'This Idempotency-Key was already used for another request.',
  },
  upload_exists: { status: 409, sentence: 'This upload already exists. Request its offset and resume.' },
  upload_incomplete: { status: 409, sentence: 'The file has not arrived completely yet.' },
  upload_offset: {
    status: 409,
    sentence: 'The upload is at another offset. Request the offset and resume.',
  },
  upload_finished: { status: 409, sentence: 'This recording is in the library already. Delete it there.' },
  cut_off: {
    status: 422,
    sentence: 'The end of this recording is missing.',
  },
  sounds_wrong: { status: 422, sentence: 'This recording does not sound as it should.' },
  upload_gone: { status: 410, sentence: 'This upload no longer exists. Send the file again.' },
  upload_damaged: { status: 410, sentence: 'The file did not arrive as it was sent. Send it again.' },
  upload_protocol: { status: 412, sentence: 'Send the header Tus-Resumable: 1.0.0.' },
  too_large: {
    status: 413,
    sentence: `The file is larger than ${maxUploadMegabytes}MB. Export it as MP3 and try again.`,
  },
  wrong_host: { status: 421, sentence: 'This server does not answer for this name.' },
  unsupported_media: { status: 415, sentence: 'The request is not in a format this address accepts.' },
  unsupported_audio: {
    status: 415,
    sentence:
      'This file is not an MP3, WAV or M4A recording. Export it in one of these formats and try again.',
  },
  account_locked: { status: 423, sentence: 'Too many wrong passwords. Try again later.' },
  upload_busy: { status: 423, sentence: 'This upload is being processed. Try again in a moment.' },
  upgrade_required: {
    status: 426,
    sentence: 'This version of the app is too old for the server. Update it and try again.',
  },
  too_many_uploads: {
    status: 429,
    sentence: 'You have three unfinished uploads. Finish or cancel one of them first.',
  },
  rate_limited: { status: 429, sentence: 'Too many requests. Try again in a moment.' },
  internal: { status: 500, sentence: 'Something went wrong on our side. Try again in a moment.' },
  unavailable: { status: 503, sentence: 'The service is not available right now. Try again in a moment.' },
  backup_too_large: {
    status: 507,
    sentence: 'This backup would be larger than a restore accepts.',
  },
  disk_full: {
    status: 507,
    sentence: 'The server has no room for this file. Ask an administrator to free space.',
  },
} as const satisfies Record<string, { status: number; sentence: string }>

export type ProblemCode = keyof typeof problems

/** The error body of every call. `error` and `message` are the same sentence: older clients read either. */
export interface ProblemBody {
  success: false
  error: string
  message: string
  code: ProblemCode
  [extra: string]: unknown
}

/** An error with its code; `serve` turns it into the error body and status. */
export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: ProblemCode
  readonly status: number
  /** Further members of the error body, such as `retryAfter` in seconds. */
  readonly extra: Readonly<Record<string, unknown>>

  constructor(code: ProblemCode, sentence?: string, extra: Record<string, unknown> = {}) {
    super(sentence ?? problems[code].sentence)
    this.code = code
    this.status = problems[code].status
    this.extra = extra
  }

  toBody(): ProblemBody {
    return { ...this.extra, success: false, error: this.message, message: this.message, code: this.code }
  }
}
