import type { Context } from '../../context.ts'
import { logLoss } from '../../db/log-loss.ts'
import { pushSender, type PushSender } from '../../machine/web-push.ts'
import { pushKeys } from './push-keys.ts'
import { writeMessages } from './push-news.ts'
import { sendDue } from './push-send.ts'

/** How often it is looked for what is to be told. */
const everyMs = 30_000

/** Tells devices of new teachings from now on. Returns the function that stops it. */
export function startPush(context: Context): () => void {
  const worker = pushWorker(context)
  const run = () =>
    worker
      .run()
      .catch((error: unknown) => logLoss(context, error, 'notifications could not be sent', 'error'))
  const timer = setInterval(() => void run(), everyMs)
  return () => {
    clearInterval(timer)
    worker.stop()
  }
}

interface PushWorker {
  /** Writes the messages that are due and sends them. Does nothing where it, or another process, is at it. */
  run(): Promise<void>
  /** Breaks off what is being sent; it is sent after the next start. */
  stop(): void
}

export function pushWorker(
  context: Context,
  { sender = pushSender(), random = Math.random }: { sender?: PushSender; random?: () => number } = {},
): PushWorker {
  const stopping = new AbortController()
  const pauses = new Map<string, Date>()
  const { lifecycle, node } = context
  return {
    async run() {
      if (stopping.signal.aborted || lifecycle.draining) return
      await node.runAlone('push messages', async () => {
        const keys = await pushKeys(context)
        await writeMessages(context)
        await sendDue(context, { sender, keys, random, pauses, signal: stopping.signal })
      })
    },
    stop() {
      stopping.abort()
      sender.close()
    },
  }
}
