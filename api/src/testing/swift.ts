import { spawnSync } from 'node:child_process'
import { afterAll } from 'vitest'
import { openSwift, python, type Swift } from './swift-process.ts'

export type { Swift } from './swift-process.ts'

/** Whether to skip the tests with a real S3 server: Swift is not installed, and not required as in CI. */
export const isSwiftMissing = (): boolean =>
  !process.env['CI'] && spawnSync(python, ['-c', 'import swift.proxy, swift.obj']).status !== 0

/** Swift as `openSwift` has it. Stopped after the file's tests. */
export async function startSwift(options?: { clockSkewSeconds?: number }): Promise<Swift> {
  const swift = await openSwift(options)
  afterAll(swift.stop)
  return swift
}
