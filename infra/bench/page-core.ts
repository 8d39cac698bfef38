import type { BrowserContext } from 'playwright-core'
import { pin, pinFirstThread, unpin } from './tools.ts'

/**
 * Leaves a core to the threads that run pages, as the servers of the other areas have one; what presses the keys, draws
 * the browser's own window and paints without a graphics card shares the other. On a phone none of it takes the page's
 * turn. Returns the way to let everything run anywhere again.
 */
export async function ownCore(context: BrowserContext): Promise<() => void> {
  const line = await context.browser()!.newBrowserCDPSession()
  const { processInfo } = await line.send('SystemInfo.getProcessInfo')
  await line.detach()
  const all = [process.pid, ...processInfo.map(({ id }) => id)]
  for (const pid of all) pin('load', pid)
  for (const { id, type } of processInfo) if (type === 'renderer') pinFirstThread('server', id)
  return () => all.forEach(unpin)
}
