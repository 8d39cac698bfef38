import { Worker } from 'node:worker_threads'

/** Why a job was ended from outside. */
export type StopReason = 'time' | 'memory' | 'caller gone'

export class JobStopped extends Error {
  override readonly name = 'JobStopped'
  readonly reason: StopReason

  constructor(reason: StopReason) {
    super(`The job was stopped: ${reason}`)
    this.reason = reason
  }
}

export interface WorkerPool {
  /**
   * Sends a job to a free worker, in the order of the calls, and waits for its answer.
   *
   * @param gone ends the job, also while it waits for a worker
   * @throws JobStopped
   */
  run(job: unknown, gone?: AbortSignal): Promise<unknown>
}

interface WaitingJob {
  job: unknown
  resolve: (answer: unknown) => void
  reject: (error: Error) => void
  /** Set while it runs. */
  stop?: (reason: StopReason) => void
}

/**
 * Worker threads for work on bytes that nobody vouches for: at most `size` jobs at once, each with a time limit and a heap of
 * its own. A worker that passes a limit is ended and replaced, since synchronous code cannot be interrupted otherwise.
 * Workers start with the first jobs and do not keep the process alive.
 */
export function workerPool(
  file: URL,
  options: { size: number; seconds: number; heapMegabytes: number },
): WorkerPool {
  const waiting: WaitingJob[] = []
  const idle: Worker[] = []
  let running = 0

  return {
    run(job, gone) {
      return new Promise((resolve, reject) => {
        if (gone?.aborted) return reject(new JobStopped('caller gone'))
        const entry: WaitingJob = { job, resolve, reject }
        const leave = () => {
          const at = waiting.indexOf(entry)
          if (at >= 0) waiting.splice(at, 1)
          if (entry.stop) entry.stop('caller gone')
          else reject(new JobStopped('caller gone'))
        }
        gone?.addEventListener('abort', leave, { once: true })
        const end = () => gone?.removeEventListener('abort', leave)
        entry.resolve = (answer) => (end(), resolve(answer))
        entry.reject = (error) => (end(), reject(error))
        waiting.push(entry)
        startNext()
      })
    },
  }

  function startNext(): void {
    if (running >= options.size) return
    const entry = waiting.shift()
    if (!entry) return
    running += 1
    const worker = idle.pop() ?? started()
    worker.ref()
    void work(worker, entry, options.seconds).then((isReusable) => {
      running -= 1
      worker.unref()
      if (isReusable) idle.push(worker)
      else void worker.terminate()
      startNext()
    })
  }

  function started(): Worker {
    const worker = new Worker(file, {
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: options.heapMegabytes },
    })
    // While a job runs it has a listener of its own; an idle worker that dies is not used again.
    worker.on('error', () => undefined)
    worker.once('exit', () => {
      const at = idle.indexOf(worker)
      if (at >= 0) idle.splice(at, 1)
    })
    return worker
  }
}

/** Runs one job; resolves to whether the worker may take another one. */
function work(worker: Worker, entry: WaitingJob, seconds: number): Promise<boolean> {
  return new Promise((resolve) => {
    let left = seconds
    // Counted by ticks, so that a machine that was asleep meanwhile does not end the job.
    const tick = setInterval(() => (left -= 1) <= 0 && entry.stop?.('time'), 1000)
    const end = (isReusable: boolean) => {
      clearInterval(tick)
      worker.off('message', onMessage)
      worker.off('error', onError)
      worker.off('exit', onExit)
      resolve(isReusable)
    }
    const fail = (error: Error) => {
      end(false)
      entry.reject(error)
    }
    const onMessage = (answer: unknown) => {
      end(true)
      entry.resolve(answer)
    }
    const onError = (error: Error & { code?: string }) =>
      fail(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new JobStopped('memory') : error)
    const onExit = () => fail(new Error('The worker thread ended.'))
    entry.stop = (reason) => fail(new JobStopped(reason))
    worker.on('message', onMessage)
    worker.on('error', onError)
    worker.on('exit', onExit)
    worker.postMessage(entry.job)
  })
}
