import { createRequire } from 'node:module'
import { Problem } from '@fellowship/schema/problem'
import { workerThread } from './worker-code.ts'

/**
 * Callers that wait for a hash: a proven one (a session, or a device that signed in before), a sign-in, or
 * anyone else. Each has room of its own, and is served before the next.
 */
export type HashFor = 'trusted' | 'sign-in' | 'anyone'

export interface PasswordHash {
  /** A PHC string, `$argon2id$…`. */
  hash(password: string, waiting?: HashFor): Promise<string>
  /** False also if the stored text is no hash. */
  verify(hash: string, password: string, waiting?: HashFor): Promise<boolean>
  /** Calls that wait for their turn. */
  waiting(): number
  close(): Promise<void>
}

/** OWASP's Password Storage Cheat Sheet: argon2id with 19 MiB, two passes, one lane. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/** Longest queues, in the order of service: at seven milliseconds each, the last sign-in waits about a second. */
const longest: Record<HashFor, number> = { trusted: 50, 'sign-in': 100, anyone: 20 }

/** Verified if there is no account, so that the answer takes as long. Its password is unknown. */
export const nobodysHash =
  '$argon2id$v=19$m=19456,t=2,p=1$8zRpZGsplU4A3UVCJdJ1ig$x7YoxuDLa5GGHzPfapPqYkzyqJkrnsQFtiRTeLocUlM'

/**
 * Hashing in one worker thread, one at a time. The library's asynchronous calls would fill the four threads that every
 * file read waits for, so that sixteen sign-ins at once would stop recordings from playing.
 *
 * Each call throws Problem `unavailable` while its queue is full.
 */
export function passwordHash(): PasswordHash {
  const argon2 = createRequire(import.meta.url).resolve('@node-rs/argon2')
  const thread = workerThread(code, { argon2, cost })
  const queues: Record<HashFor, (() => void)[]> = { trusted: [], 'sign-in': [], anyone: [] }
  let isBusy = false
  const order = Object.keys(longest) as HashFor[]

  async function ask(message: Record<string, unknown>, waiting: HashFor): Promise<unknown> {
    if (isBusy) await turn(waiting)
    isBusy = true
    try {
      return await thread.ask(message)
    } finally {
      const next = order.map((each) => queues[each]).find((queue) => queue.length > 0)
      // The turn is handed over, so that a new call does not get in between.
      if (next) next.shift()!()
      else isBusy = false
    }
  }
  function turn(waiting: HashFor): Promise<void> {
    const queue = queues[waiting]
    if (queue.length < longest[waiting]) return new Promise((resolve) => queue.push(resolve))
    throw new Problem('unavailable', 'Many people are signing in right now. Try again in a moment.', {
      retryAfter: 2,
    })
  }
  return {
    hash: async (password, waiting = 'anyone') => (await ask({ password }, waiting)) as string,
    verify: async (hash, password, waiting = 'anyone') => (await ask({ hash, password }, waiting)) as boolean,
    waiting: () => order.reduce((sum, each) => sum + queues[each].length, 0),
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
