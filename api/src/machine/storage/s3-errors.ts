import { parseXml } from '../xml.ts'

/** The store answered, and refused. */
export class S3Refusal extends Error {
  override readonly name = 'S3Refusal'
  readonly status: number
  /** The store's word, such as `AccessDenied`; empty where it gave none. */
  readonly code: string
  constructor(status: number, code: string, what: string) {
    super(`The object store refused ${what}: ${status} ${code}`.trim())
    this.status = status
    this.code = code
  }
}

/** No answer, after all retries. */
export class S3Unreachable extends Error {
  override readonly name = 'S3Unreachable'
}

/** The store's word in an error document; also some answers with status 200 are one. */
export function codeOf(text: string): string {
  if (!text.includes('<Error>')) return ''
  try {
    return parseXml(text)['Error']?.[0]?.children['Code']?.[0]?.text ?? ''
  } catch {
    return ''
  }
}

/** Whether the same request may succeed in a moment: no answer, a fault of the store, or a body damaged on its way. */
export function isTransient(error: Error): boolean {
  if (!(error instanceof S3Refusal)) return true
  if (error.status >= 500 || error.status === 408 || error.status === 429) return true
  return ['RequestTimeout', 'SlowDown', 'XAmzContentSHA256Mismatch', 'BadDigest', 'IncompleteBody'].includes(
    error.code,
  )
}
