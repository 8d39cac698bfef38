import { chmodSync, readdirSync, statSync } from 'node:fs'
import { chmod } from 'node:fs/promises'
import path from 'node:path'

/** Who has the name of a recording, which is the hash of its bytes, may open it; nobody may list the folder. */
const mayPass = 0o011
const mayRead = 0o044

/**
 * Lets a proxy that runs as another user send the recordings below `dataDir` (AUDIO_ACCEL), whatever mask the product runs
 * under; the service manager closes the folder again at each start. All else in it stays as closed as it was made.
 */
export function letProxyRead(dataDir: string): void {
  const audio = path.join(dataDir, 'audio')
  for (const folder of [dataDir, audio]) allow(folder, mayPass)
  for (const name of readdirSync(audio)) allow(path.join(audio, name), mayRead)
}

/** The same for one that is about to get its name. */
export const letProxyReadFile = (file: string): Promise<void> => chmod(file, 0o644)

function allow(place: string, wanted: number): void {
  const { mode } = statSync(place)
  if ((mode & wanted) !== wanted) chmodSync(place, (mode & 0o777) | wanted)
}
