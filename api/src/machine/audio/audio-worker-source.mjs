// The worker in a run from the sources: a thread does not inherit the loader for TypeScript.
import { register } from 'tsx/esm/api'

register()
await import('./audio-worker.ts')
