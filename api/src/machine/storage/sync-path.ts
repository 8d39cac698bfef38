import { open } from 'node:fs/promises'

/** Syncs a file, or the names in a folder: a new or renamed file survives a power cut only once its folder is synced. */
export async function syncPath(place: string): Promise<void> {
  const handle = await open(place, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
