import type { S3Place } from '../machine/storage/s3-client.ts'
import type { Environment, VariableName } from './env.ts'

export interface S3Settings extends S3Place {
  /** The public address of the bucket's objects, without a trailing slash; if undefined, the product delivers them. */
  readonly publicUrl: string | undefined
}

const examples = {
  S3_ENDPOINT: 'https://s3.ap-southeast-2.amazonaws.com',
  S3_REGION: 'ap-southeast-2',
  S3_BUCKET: 'fellowship-recordings',
  S3_ACCESS_KEY_ID: 'AKIAIOSFODNN7EXAMPLE',
  S3_SECRET_ACCESS_KEY: 'the-secret-that-came-with-the-key',
  S3_PUBLIC_URL: 'https://cdn.example.org',
} as const satisfies Partial<Record<VariableName, string>>

type S3Name = keyof typeof examples

const optional: readonly S3Name[] = ['S3_REGION', 'S3_PUBLIC_URL']

/**
 * The object store for finished files; undefined if none is set. Adds a sentence to `mistakes` for each setting that is
 * missing or wrong, without repeating the secret.
 */
export function s3Settings(env: Environment, mistakes: string[]): S3Settings | undefined {
  const names = Object.keys(examples) as S3Name[]
  const given = names.filter((name) => env[name] !== undefined)
  if (given.length === 0) return undefined
  const before = mistakes.length
  const wrong = (name: S3Name, why: string) =>
    mistakes.push(`${name} ${why} Example: ${name}=${examples[name]}`)
  for (const name of names) {
    if (env[name] === undefined && !optional.includes(name))
      wrong(name, `is not set, and ${given[0]} needs it.`)
  }
  const endpoint = address(env.S3_ENDPOINT)
  if (env.S3_ENDPOINT !== undefined && (endpoint === undefined || new URL(endpoint).pathname !== '/'))
    wrong(
      'S3_ENDPOINT',
      `is "${env.S3_ENDPOINT}"; it must be http:// or https:// and a host, without the bucket.`,
    )
  if (env.S3_REGION !== undefined && !/^[a-z0-9-]{1,64}$/.test(env.S3_REGION))
    wrong('S3_REGION', `is "${env.S3_REGION}", which is no name of a region.`)
  if (env.S3_BUCKET !== undefined && !/^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(env.S3_BUCKET))
    wrong('S3_BUCKET', `is "${env.S3_BUCKET}"; a bucket has 3 to 63 small letters, digits, dots and hyphens.`)
  const publicUrl = address(env.S3_PUBLIC_URL)
  if (env.S3_PUBLIC_URL !== undefined && publicUrl === undefined)
    wrong(
      'S3_PUBLIC_URL',
      `is "${env.S3_PUBLIC_URL}"; it must be http:// or https:// and where the bucket's objects begin.`,
    )
  if (mistakes.length > before) return undefined
  return {
    endpoint: new URL(endpoint!).origin,
    region: env.S3_REGION ?? 'us-east-1',
    bucket: env.S3_BUCKET!,
    accessKeyId: env.S3_ACCESS_KEY_ID!,
    secretAccessKey: env.S3_SECRET_ACCESS_KEY!,
    publicUrl: publicUrl?.replace(/\/+$/, ''),
  }
}

/**
 * The bucket for regular backups; undefined if none is set. Unset values are those of the other bucket, so that
 * BACKUP_S3_BUCKET alone names another one at the same store.
 */
export function backupS3Settings(env: Environment, mistakes: string[]): S3Settings | undefined {
  const own = (Object.keys(env) as VariableName[]).find((name) => name.startsWith('BACKUP_S3_'))
  if (own === undefined) return undefined
  const example = 'Example: BACKUP_S3_BUCKET=fellowship-backups'
  if (env.BACKUP_S3_BUCKET === undefined) {
    mistakes.push(`BACKUP_S3_BUCKET is not set, and ${own} needs it. ${example}`)
    return undefined
  }
  if (env.BACKUP_DIR !== undefined) {
    mistakes.push(`BACKUP_S3_BUCKET and BACKUP_DIR are both set; backups are kept at one place. ${example}`)
    return undefined
  }
  if (env.BACKUP_S3_BUCKET === env.S3_BUCKET && env.BACKUP_S3_ENDPOINT === undefined) {
    mistakes.push(
      `BACKUP_S3_BUCKET is the bucket of the recordings; whoever loses that would lose both. ${example}`,
    )
    return undefined
  }
  const found: string[] = []
  const settings = s3Settings(
    {
      ...orElse('S3_ENDPOINT', env.BACKUP_S3_ENDPOINT ?? env.S3_ENDPOINT),
      ...orElse('S3_REGION', env.BACKUP_S3_REGION ?? env.S3_REGION),
      ...orElse('S3_BUCKET', env.BACKUP_S3_BUCKET),
      ...orElse('S3_ACCESS_KEY_ID', env.BACKUP_S3_ACCESS_KEY_ID ?? env.S3_ACCESS_KEY_ID),
      ...orElse('S3_SECRET_ACCESS_KEY', env.BACKUP_S3_SECRET_ACCESS_KEY ?? env.S3_SECRET_ACCESS_KEY),
    },
    found,
  )
  mistakes.push(...found.map((sentence) => sentence.replaceAll(/\bS3_/g, 'BACKUP_S3_')))
  return settings
}

const orElse = (name: S3Name, value: string | undefined): Environment =>
  value === undefined ? {} : { [name]: value }

/** An http address without user, query or fragment. */
function address(text: string | undefined): string | undefined {
  if (text === undefined || !URL.canParse(text)) return undefined
  const { protocol, username, search, hash, href } = new URL(text)
  return /^https?:$/.test(protocol) && !username && !search && !hash ? href : undefined
}
