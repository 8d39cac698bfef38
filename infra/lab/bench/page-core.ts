import type { BrowserContext } from 'playwright-core'
import { pin, pinFirstThread, unpin } from './tools.ts'

/**
 * Pins the main threads of pages to one core and everything else (this process, the browser window, the compositor,
 * software painting) to the other, since on a phone none of these compete with the page. Returns the undo function.
 */
export async function reserveCoreForPage(context: BrowserContext): Promise<() => void> {
  const line = await context.browser()!.newBrowserCDPSession()
  const { processInfo } = await line.send('SystemInfo.getProcessInfo')
  await line.detach()
  const all = [process.pid, ...processInfo.map(({ id }) => id)]
  for (const pid of all) pin('load', pid)
  for (const { id, type } of processInfo) if (type === 'renderer') pinFirstThread('server', id)
  return () => all.forEach(unpin)
}
