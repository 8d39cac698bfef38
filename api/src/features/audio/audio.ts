import { movedAudioDays } from '@fellowship/schema/audio/audio.limits'
import type { Context } from '../../context.ts'
import { liveRecordings, movedTo, type LiveRecording } from './audio.sql.ts'

export { soundOf, type LiveRecording } from './audio.sql.ts'
export {
  checkRecordingsAtStart,
  compareRecordings,
  noteMended,
  recordingHealth,
  walkRecordings,
} from './recording-checks.ts'
export { recordingKey } from './recording-key.ts'
export { purgeOldRecordings } from './storage-care.ts'

/** Live recordings by hash, read once per change: a range request makes no query. */
export function recordingsByHash({
  sql,
  changes,
}: Context): () => Promise<ReadonlyMap<string, LiveRecording>> {
  let known: Promise<ReadonlyMap<string, LiveRecording>> | undefined
  changes.listen(() => (known = undefined))
  return () => {
    if (known) return known
    const reading = liveRecordings(sql).then((rows) => new Map(rows.map((row) => [row.sha256, row])))
    known = reading
    reading.catch(() => {
      if (known === reading) known = undefined
    })
    return reading
  }
}

/** The address of what replaced a recording, for 30 days after the replacement. */
export function addressAfter({ sql }: Context, sha256: string): Promise<string | undefined> {
  return movedTo(sql, sha256, movedAudioDays)
}
