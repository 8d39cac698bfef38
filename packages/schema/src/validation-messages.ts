import { z } from 'zod'

/**
 * Generic messages for zod issues: 'Required', 'Expected X, received Y', 'Invalid enum value',
 * 'String must contain at least N character(s)', 'Invalid input'. A message of the schema takes precedence.
 */
export function installValidationMessages(): void {
  z.config({ customError: (issue) => genericMessage(issue) })
}

type RawIssue = Parameters<NonNullable<ReturnType<typeof z.config>['customError']>>[0]

function genericMessage(issue: RawIssue): string {
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined
        ? 'Required'
        : `Expected ${String(issue.expected)}, received ${kindOf(issue.input)}`
    case 'invalid_value':
      return issue.values.length === 1
        ? `Invalid literal value, expected ${JSON.stringify(issue.values[0])}`
        : `Invalid enum value. Expected ${issue.values.map((v) => `'${String(v)}'`).join(' | ')}, received '${String(issue.input)}'`
    case 'too_small':
      return bound(issue.origin, 'at least', 'greater than or equal to', issue.minimum)
    case 'too_big':
      return bound(issue.origin, 'at most', 'less than or equal to', issue.maximum)
    case 'invalid_format':
      return issue.format === 'email' ? 'Invalid email address' : `Invalid ${issue.format}`
    case 'unrecognized_keys':
      return `Unrecognized key(s) in object: ${issue.keys.map((k) => `'${k}'`).join(', ')}`
    case 'not_multiple_of':
    case 'invalid_union':
    case 'invalid_key':
    case 'invalid_element':
    case 'custom':
      return 'Invalid input'
  }
}

function bound(origin: string, count: string, compare: string, limit: number | bigint): string {
  if (origin === 'string') return `String must contain ${count} ${limit} character(s)`
  if (origin === 'array') return `Array must contain ${count} ${limit} element(s)`
  return `Number must be ${compare} ${limit}`
}

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'array'
  return Number.isNaN(value) ? 'nan' : typeof value
}
