import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import type { TestProject } from 'vitest/node'
import { startProduct } from './product.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** What the product's first start left in an empty data folder. Nobody writes to it. */
    startedOnce: string
  }
}

/** Once a run the product starts on an empty folder, which gets its database and first administrator, and stops. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'started-once-'))
  const product = await startProduct({}, { dataDir })
  await product.stop()
  project.provide('startedOnce', dataDir)
  return () => rm(dataDir, { recursive: true, force: true })
}
