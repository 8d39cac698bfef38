import type { Secrets } from '../machine/secrets.ts'

/** What has to fit between the processes of one database. */
export interface ProcessFacts {
  /** Names the data folder. */
  workshop: string
  /** Where finished recordings are; null: on the disk of this process. */
  bucket: string | null
  secrets: Secrets
}

/** A process that serves the database. */
export interface RunningProcess {
  owner: string
  workshop: string
  host: string
  bucket: string | null
  /** `checkText` under its APP_SECRET. */
  secretCheck: string
  stopping: boolean
}

/** Why a process may not start beside another one, and the way out; undefined where it may. */
export function refusalBeside(
  { workshop, bucket, secrets }: ProcessFacts,
  other: RunningProcess,
): string | undefined {
  const beside = `Another process of the product (on ${other.host}) serves this database`
  if (other.workshop === workshop)
    return `${beside} with this DATA_DIR, or with the folder it was copied from. Stop that one, or give each process an empty DATA_DIR of its own.`
  if (bucket === null || other.bucket === null)
    return `${beside}, and ${bucket === null ? 'this one keeps' : 'that one keeps'} recordings on its own disk. Stop that one, or set S3_ENDPOINT and the same S3_BUCKET for each process.`
  if (bucket !== other.bucket)
    return `${beside} with another place for recordings (${other.bucket}, here ${bucket}). Set the same S3_ENDPOINT and S3_BUCKET for each process.`
  if (secrets.open(checkPurpose, other.secretCheck) !== checkText)
    return `${beside} with another APP_SECRET. Set the same APP_SECRET for each process: the one in the file app-secret of the first one's DATA_DIR.`
  return undefined
}

/** A known text, sealed for the comparison of secrets. */
export const checkPurpose = 'processes'
export const checkText = 'the same secret'
