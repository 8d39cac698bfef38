/** The name of the Web Lock that a page holds while it copies a job's file. */
export const copyLock = (jobId: string): string => `upload-copy:${jobId}`

/** The browser's own deps for copying, in a page or a worker. */
export const browserCopying = {
  hold: async <T>(jobId: string, work: () => Promise<T>): Promise<T> =>
    typeof navigator.locks === 'undefined'
      ? work()
      : ((await navigator.locks.request(copyLock(jobId), work)) as T),
  yieldToMain: () => new Promise<void>((resolve) => setTimeout(resolve)),
}
