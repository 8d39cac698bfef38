import { chunkBytes } from '../database/stored-files.ts'
import type { AudioDatabase, SavedRecording } from '../database/audio-database.ts'

/** Stopped by a full device, until there is room. */
export const isWithoutRoom = ({ problem }: SavedRecording): boolean => problem === 'device full'

/** Resumes the downloads that a full device stopped. */
export async function resumeWithRoom(db: AudioDatabase): Promise<void> {
  await db.recordings.filter(isWithoutRoom).modify((recording) => void delete recording.problem)
}

/** While the device is full, nothing is downloaded. */
export interface DeviceRoom {
  /**
   * Whether there is room. On a full device it checks, once a minute at most, as browsers do not report room that was made
   * outside of the app, and resumes the downloads if there is some.
   */
  isFound(): Promise<boolean>
  /** Records that a download of this recording found the device full. */
  noteFull(key: string): Promise<void>
  /** A person asked: the next check is at once. */
  askSoon(): void
  /** Whether the device is full and no row could be marked so; the rows show it otherwise. */
  isUnmarked(): boolean
  /** Calls back when that changes; returns the way to stop listening. */
  onChange(listener: () => void): () => void
}

/** @param hasRoom whether the device can store another chunk */
export function deviceRoom(db: AudioDatabase, hasRoom: () => Promise<boolean>): DeviceRoom {
  const listeners = new Set<() => void>()
  let askedAt = -Infinity
  let isUnmarked = false
  const setUnmarked = (next: boolean) => {
    if (next === isUnmarked) return
    isUnmarked = next
    for (const listener of listeners) listener()
  }
  return {
    async isFound() {
      if (!isUnmarked && (await db.recordings.filter(isWithoutRoom).count()) === 0) return true
      if (performance.now() - askedAt < probeEveryMs) return false
      askedAt = performance.now()
      if (!(await hasRoom())) return false
      await resumeWithRoom(db)
      setUnmarked(false)
      return true
    },
    async noteFull(key) {
      const recording = await db.recordings.get(key)
      setUnmarked(recording !== undefined && !isWithoutRoom(recording))
    },
    askSoon: () => void (askedAt = -Infinity),
    isUnmarked: () => isUnmarked,
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
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
