import { Worker } from 'node:worker_threads'

interface Reply {
  id: number
  value?: unknown
  error?: { message: string; code?: string }
}

/**
 * One worker thread that runs `code` (CommonJS source; it answers `{ id, value }` or `{ id, error }`). It starts with
 * the first request, does not keep the process alive, and is restarted when it dies. The code is passed as source, because
 * a separate file would have different paths in development and in the built bundle.
 */
export function workerThread(code: string, workerData: Record<string, unknown> = {}) {
  let worker: Worker | undefined
  let nextId = 0
  const waiting = new Map<number, { resolve: (value: unknown) => void; reject: (error: Error) => void }>()

  function start(): Worker {
    const started = new Worker(code, { eval: true, workerData, execArgv: [] })
    started.on('message', ({ id, value, error }: Reply) => {
      const request = waiting.get(id)
      waiting.delete(id)
      if (error) request?.reject(Object.assign(new Error(error.message), { code: error.code }))
      else request?.resolve(value)
      if (waiting.size === 0) started.unref()
    })
    started.once('error', (error) => lost(started, error))
    started.once('exit', () => lost(started, new Error('The worker thread ended.')))
    return started
  }
  function lost(ended: Worker, error: Error) {
    if (worker === ended) worker = undefined
    for (const request of waiting.values()) request.reject(error)
    waiting.clear()
  }

  return {
    /** Sends a message and waits for its answer. */
    ask(message: Record<string, unknown>): Promise<unknown> {
      worker ??= start()
      worker.ref()
      const id = nextId++
      const answer = new Promise((resolve, reject) => waiting.set(id, { resolve, reject }))
      worker.postMessage({ ...message, id })
      return answer
    },
    async close(): Promise<void> {
      await worker?.terminate()
    },
  }
}
