import type { CDPSession, Page } from 'playwright-core'

interface HeapUsage {
  usedSize: number
  backingStorageSize?: number
}

/** Bytes in the heaps of a page and of its dedicated workers after some work and a collection of garbage. */
export async function heapsOf(
  page: Page,
  work: () => Promise<void>,
): Promise<{ page: number; workers: number }> {
  const devtools = await page.context().newCDPSession(page)
  const workers: string[] = []
  devtools.on('Target.attachedToTarget', ({ sessionId, targetInfo }) => {
    if (targetInfo.type === 'worker') workers.push(sessionId)
  })
  devtools.on('Target.detachedFromTarget', ({ sessionId }) => {
    if (workers.includes(sessionId)) workers.splice(workers.indexOf(sessionId), 1)
  })
  await devtools.send('Target.setAutoAttach', {
    autoAttach: true,
    waitForDebuggerOnStart: false,
    // A session of this driver carries no others.
    flatten: false,
  })
  await work()
  const own = await heap((method) => devtools.send(method as 'Runtime.getHeapUsage'))
  let sum = 0
  for (const worker of workers) sum += await heap((method) => inWorker(devtools, worker, method))
  await devtools.detach()
  return { page: own, workers: sum }
}

async function heap(send: (method: string) => Promise<unknown>): Promise<number> {
  await send('HeapProfiler.collectGarbage')
  const { usedSize, backingStorageSize = 0 } = (await send('Runtime.getHeapUsage')) as HeapUsage
  return usedSize + backingStorageSize
}

let calls = 0

function inWorker(devtools: CDPSession, sessionId: string, method: string): Promise<unknown> {
  calls += 1
  const id = calls
  return new Promise((resolve, reject) => {
    const onMessage = (event: { sessionId: string; message: string }) => {
      const answer = JSON.parse(event.message) as {
        id?: number
        result?: unknown
        error?: { message: string }
      }
      if (event.sessionId !== sessionId || answer.id !== id) return
      devtools.off('Target.receivedMessageFromTarget', onMessage)
      if (answer.error) reject(new Error(answer.error.message))
      else resolve(answer.result)
    }
    devtools.on('Target.receivedMessageFromTarget', onMessage)
    devtools
      .send('Target.sendMessageToTarget', { sessionId, message: JSON.stringify({ id, method }) })
      .catch(reject)
  })
}
