import { createRequire } from 'node:module'
import { Problem } from '@fellowship/schema/problem'
import { workerThread } from './worker-code.ts'

export interface PasswordHash {
  /** A PHC string, `$argon2id$…`. */
  hash(password: string): Promise<string>
  /** False also where the stored text is no hash. */
  verify(hash: string, password: string): Promise<boolean>
  close(): Promise<void>
}

/** OWASP's Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Queue length: at seven milliseconds each, the last one waits less than a second. */
const longestQueue = 100

/**
 * Hashing in one worker thread, one at a time. The library's asynchronous calls would fill the four threads that every
 * file read waits for, so that sixteen sign-ins at once would stop recordings from playing.
 *
 * Each call throws Problem `unavailable` while the queue is full.
 */
export function passwordHash(): PasswordHash {
  const argon2 = createRequire(import.meta.url).resolve('@node-rs/argon2')
  const thread = workerThread(code, { argon2, cost })
  let queued = 0
  const ask = async (message: Record<string, unknown>) => {
    if (queued >= longestQueue) {
      throw new Problem('unavailable', 'Many people are signing in right now. Try again in a moment.', {
        retryAfter: 2,
      })
    }
    queued++
    try {
      return await thread.ask(message)
    } finally {
      queued--
    }
  }
  return {
    hash: async (password) => (await ask({ password })) as string,
    verify: async (hash, password) => (await ask({ hash, password })) as boolean,
    close: () => thread.close(),
  }
}

const code = `
const { parentPort, workerData: { argon2, cost } } = require('node:worker_threads')
const { Algorithm, hashSync, verifySync } = require(argon2)
const verify = (hash, password) => {
  try { return verifySync(hash, password) } catch { return false }
}
parentPort.on('message', ({ id, hash, password }) => {
  try {
    const value = hash === undefined ? hashSync(password, { ...cost, algorithm: Algorithm.Argon2id }) : verify(hash, password)
    parentPort.postMessage({ id, value })
  } catch (error) {
    parentPort.postMessage({ id, error: { message: error.message } })
  }
})`
