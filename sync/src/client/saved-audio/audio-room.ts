import { chunkBytes } from '../database/chunk-bytes.ts'
import { type AudioDatabase, type SavedRecording } from '../database/audio-database.ts'

/** Stopped by a full device, until there is room. */
export const isWithoutRoom = ({ problem }: SavedRecording): boolean => problem === 'device full'

/** What was stopped by a full device goes on. */
export async function goOnWithRoom(db: AudioDatabase): Promise<void> {
  await db.recordings.filter(isWithoutRoom).modify((recording) => void delete recording.problem)
}

/**
 * Finds room that was made outside of the app, of which no browser tells: whoever asks the returned function learns
 * whether something goes on. A full device is asked once a minute at most.
 */
export function roomFinder(db: AudioDatabase, hasRoom: () => Promise<boolean>): () => Promise<boolean> {
  let askedAt = -Infinity
  return async () => {
    if (performance.now() - askedAt < askEveryMs) return false
    if ((await db.recordings.filter(isWithoutRoom).count()) === 0) return false
    askedAt = performance.now()
    if (!(await hasRoom())) return false
    await goOnWithRoom(db)
    return true
  }
}

const askEveryMs = 60_000

/** Whether the device takes another chunk: one is written and taken away again, as what browsers tell is no promise. */
export async function takesAChunk(db: AudioDatabase): Promise<boolean> {
  const data = new Uint8Array(chunkBytes)
  // What could be compressed would take no room.
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

/** No recording's: it is no hash. */
const probeKey = 'room'
