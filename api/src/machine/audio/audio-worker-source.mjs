import { existsSync } from 'node:fs'
import path from 'node:path'
import { pathToFileURL } from 'node:url'

// The worker in a run from the sources: a thread does not inherit the loader for TypeScript, which takes longer than most
// tests of a recording. Tests of a built product run the built worker.
const built = path.join(import.meta.dirname, '../../../dist', 'audio-worker.mjs')
if (process.env['TEST_BUILT'] === '1' && existsSync(built)) await import(pathToFileURL(built).href)
else {
  const { register } = await import('tsx/esm/api')
  register()
  await import('./audio-worker.ts')
}
