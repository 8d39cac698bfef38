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
   * @param seconds its time limit, if it is not that of the pool
   * @throws JobStopped
   */
  run(job: unknown, gone?: AbortSignal, seconds?: number): Promise<unknown>
  /** Jobs that wait for a worker. */
  waiting(): number
  /** Ends all workers, and with them the running jobs. */
  close(): void
}

/** The runner of jobs: a thread, or a process of its own. It answers each message with one message. */
export interface JobWorker {
  postMessage(job: unknown): void
  /** @returns a function that ends the listening */
  listen(listener: WorkerListener): () => void
  ref(): void
  unref(): void
  terminate(): void
}

interface WorkerListener {
  readonly answered: (answer: unknown) => void
  /** The job gets on: its time limit begins again. */
  readonly progressed: () => void
  readonly failed: (error: Error) => void
  /** @param signal the one that ended a process */
  readonly ended: (signal?: string | null) => void
}

interface WaitingJob {
  job: unknown
  seconds: number
  resolve: (answer: unknown) => void
  reject: (error: Error) => void
  /** Set while it runs. */
  stop?: (reason: StopReason) => void
}

/** Large bytes of a job are moved instead of copied: its sender must not use them afterwards. */
const movable = (job: unknown): ArrayBuffer[] =>
  Object.values((job ?? {}) as Record<string, unknown>).flatMap((value) =>
    value instanceof Uint8Array &&
    value.byteLength === value.buffer.byteLength &&
    value.byteLength >= largeBytes
      ? [value.buffer as ArrayBuffer]
      : [],
  )

const largeBytes = 64 * 1024

/** A worker thread with a heap of its own, for `workerPool`. */
export function workerWithHeap(file: URL, heapMegabytes: number): JobWorker {
  const worker = new Worker(file, {
    execArgv: [],
    // A small young generation, so that decoded samples are collected before the next ones.
    resourceLimits: { maxOldGenerationSizeMb: heapMegabytes, maxYoungGenerationSizeMb: 6 },
  })
  return {
    postMessage: (job) => worker.postMessage(job, movable(job)),
    listen({ answered, failed, ended }) {
      const onError = (error: Error & { code?: string }) =>
        failed(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? new JobStopped('memory') : error)
      const onExit = () => ended()
      worker.on('message', answered).on('error', onError).on('exit', onExit)
      return () => void worker.off('message', answered).off('error', onError).off('exit', onExit)
    },
    ref: () => worker.ref(),
    unref: () => worker.unref(),
    terminate: () => void worker.terminate(),
  }
}

/**
 * Workers for untrusted bytes: at most `size` jobs at once, each with a time limit. A worker that passes a
 * limit is ended and replaced, since synchronous code cannot be interrupted otherwise. Workers start with the first jobs and
 * do not keep the process alive.
 *
 * @param options.idleSeconds a worker without a job for this long is ended and gives its memory back
 */
export function workerPool(
  start: () => JobWorker,
  options: { size: number; seconds: number; idleSeconds?: number },
): WorkerPool {
  const waiting: WaitingJob[] = []
  const workers = new Set<JobWorker>()
  const idle: JobWorker[] = []
  const ends = new Map<JobWorker, NodeJS.Timeout>()
  let running = 0

  return {
    waiting: () => waiting.length,
    close() {
      for (const worker of workers) worker.terminate()
    },
    run(job, gone, seconds = options.seconds) {
      return new Promise((resolve, reject) => {
        if (gone?.aborted) return reject(new JobStopped('caller gone'))
        const entry: WaitingJob = { job, seconds, resolve, reject }
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
    clearTimeout(ends.get(worker))
    worker.ref()
    void work(worker, entry).then((isReusable) => {
      running -= 1
      worker.unref()
      if (isReusable) rest(worker)
      else worker.terminate()
      startNext()
    })
  }

  function rest(worker: JobWorker): void {
    idle.push(worker)
    if (options.idleSeconds === undefined) return
    const end = () => {
      forget(worker)
      worker.terminate()
    }
    ends.set(worker, setTimeout(end, options.idleSeconds * 1000).unref())
  }

  function started(): JobWorker {
    const worker = start()
    workers.add(worker)
    const ignore = () => undefined
    // While a job runs it has a listener of its own; an idle worker that dies is not used again.
    worker.listen({ answered: ignore, progressed: ignore, failed: ignore, ended: () => forget(worker) })
    return worker
  }

  function forget(worker: JobWorker): void {
    clearTimeout(ends.get(worker))
    ends.delete(worker)
    workers.delete(worker)
    const at = idle.indexOf(worker)
    if (at >= 0) idle.splice(at, 1)
  }
}

/** Runs one job; resolves to whether the worker may take another one. */
function work(worker: JobWorker, entry: WaitingJob): Promise<boolean> {
  return new Promise((resolve) => {
    const { seconds } = entry
    let left = seconds
    // Counted by ticks, so that a machine that was asleep meanwhile does not end the job.
    const tick = setInterval(() => (left -= 1) <= 0 && entry.stop?.('time'), 1000)
    const end = (isReusable: boolean) => {
      clearInterval(tick)
      stopListening()
      resolve(isReusable)
    }
    const fail = (error: Error) => {
      end(false)
      entry.reject(error)
    }
    entry.stop = (reason) => fail(new JobStopped(reason))
    const stopListening = worker.listen({
      answered: (answer) => {
        end(true)
        entry.resolve(answer)
      },
      progressed: () => (left = seconds),
      failed: fail,
      // A process is killed by itself or by the kernel when it takes too much memory.
      ended: (signal) =>
        fail(signal === 'SIGKILL' ? new JobStopped('memory') : new Error('The worker ended.')),
    })
    worker.postMessage(entry.job)
  })
}
