import { openBrowser, type TestBrowser } from '../../e2e/support/browser.ts'
import type { Run } from './area.ts'
import { pin, unpin } from './tools.ts'

/** A browser on all cores, as is this process while it is open; it is closed at the end. */
export async function benchBrowser({ onEnd }: Pick<Run, 'onEnd'>): Promise<TestBrowser> {
  unpin(process.pid)
  onEnd(() => pin('load', process.pid))
  const browser = await openBrowser()
  onEnd(() => browser.close())
  return browser
}
