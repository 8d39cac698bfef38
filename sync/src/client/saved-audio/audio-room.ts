import { chunkBytes } from '../database/chunk-bytes.ts'
import { type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'

/** Stopped by a full device, until there is room. */
export const isWithoutRoom = ({ problem }: SavedRecording): boolean => problem === 'device full'

/** Resumes the downloads that a full device stopped. */
export async function resumeWithRoom(db: AudioDatabase): Promise<void> {
  await db.recordings.filter(isWithoutRoom).modify((recording) => void delete recording.problem)
}

/**
 * Detects room that was made outside of the app, which browsers do not report. The returned function checks, once a
 * minute at most, and resolves to whether downloads were resumed.
 */
export function roomProbe(db: AudioDatabase, hasRoom: () => Promise<boolean>): () => Promise<boolean> {
  let askedAt = -Infinity
  return async () => {
    if (performance.now() - askedAt < probeEveryMs) return false
    if ((await db.recordings.filter(isWithoutRoom).count()) === 0) return false
    askedAt = performance.now()
    if (!(await hasRoom())) return false
    await resumeWithRoom(db)
    return true
  }
}

const probeEveryMs = 60_000

/** Whether the device can store another chunk: writes one and deletes it, as the browser's estimate is not reliable. */
export async function canStoreChunk(db: AudioDatabase): Promise<boolean> {
  const data = new Uint8Array(chunkBytes)
  // Random bytes, which cannot be compressed.
  for (let at = 0; at < chunkBytes; at += 65_536) crypto.getRandomValues(data.subarray(at, at + 65_536))
  try {
    await db.chunks.put({ key: probeKey, index: 0, data: data.buffer })
    return true
  } catch {
    return false
  } finally {
    await db.chunks.delete([probeKey, 0]).catch(() => undefined)
  }
}

/** Not the key of a recording, as it is no hash. */
const probeKey = 'room'
