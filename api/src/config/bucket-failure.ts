import { S3Refusal } from '../machine/storage/s3-client.ts'
import type { S3Settings } from './s3-settings.ts'

/** Why the bucket cannot be used, and the way out, for what a step of its probe threw. */
export function bucketFailure(
  error: unknown,
  step: string,
  { endpoint, region, bucket }: S3Settings,
): string {
  if (!(error instanceof S3Refusal)) {
    const { cause } = error as Error
    const reason = (cause as Error | undefined)?.cause as { code?: string } | undefined
    if (!cause) return (error as Error).message
    const why = reason?.code ?? (cause as Error).message
    return `S3_ENDPOINT is ${endpoint}, where no object store answers (${why}). Check the address, and that the store runs.`
  }
  const { status, code } = error
  if (code === 'NoSuchBucket')
    return `S3_BUCKET is ${bucket}, which does not exist at ${endpoint}. Create it there, or set the name of another.`
  if (code === 'InvalidAccessKeyId')
    return `S3_ACCESS_KEY_ID is not known at ${endpoint}. Set a key of that store.`
  if (code === 'SignatureDoesNotMatch')
    return 'S3_SECRET_ACCESS_KEY does not belong to S3_ACCESS_KEY_ID. Set the two that were given out together.'
  if (status === 301 || ['AuthorizationHeaderMalformed', 'PermanentRedirect'].includes(code))
    return `S3_REGION is ${region}, and the bucket ${bucket} is in another one. Set the bucket's region and its S3_ENDPOINT.`
  if (code === 'RequestTimeTooSkewed')
    return 'The clock of this machine is wrong, and the object store refuses its requests. Set the clock.'
  if (status === 403)
    return `S3_ACCESS_KEY_ID may not ${step} in the bucket ${bucket} (${code || status}). Give the key rights to write, read, list and remove there.`
  return `The object store at ${endpoint} refused to ${step} in the bucket ${bucket}: ${status} ${code}. Check the S3 settings.`
}

/** What is wrong with the address at which everyone reads the bucket. */
export const publicFailures = {
  unreachable: (host: string) =>
    `S3_PUBLIC_URL leads to ${host}, which cannot be reached. Check the address.`,
  closed: (status: number) =>
    `S3_PUBLIC_URL answers ${status} for an object that is in the bucket. Let everyone read it there, or leave the setting away.`,
  other: 'S3_PUBLIC_URL does not give back the wanted range of what is in the bucket. Check the address.',
  ownSiteAlone:
    'S3_PUBLIC_URL answers without "Access-Control-Allow-Origin: *", so browsers could not save recordings. Set the CORS rules of the bucket or the CDN: any origin, GET and HEAD.',
}
