import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { copies } from '@fellowship/schema/copies/copies.contract'
import { call } from '@fellowship/sync/call/call'
import type { TestProject } from 'vitest/node'
import { administrator, signInByCall } from './people.ts'
import { startProduct } from './product.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** A data folder after the product's first start; read-only. */
    startedOnce: string
  }
}

/** Starts and stops the product once per run, to create a data folder with database and administrator for copying. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const dataDir = await mkdtemp(path.join(tmpdir(), 'started-once-'))
  const product = await startProduct({}, { dataDir })
  // Copying each uploaded recording takes a core from the browsers; copies.e2e.test.ts resumes it.
  await call(copies.change, { body: { paused: true } }, await signInByCall(product.url, administrator))
  await product.stop()
  project.provide('startedOnce', dataDir)
  return () => rm(dataDir, { recursive: true, force: true })
}
