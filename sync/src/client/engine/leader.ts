import type { DeviceDatabase } from '../database/device-database.ts'
import type { LeaderWork } from './queue.ts'

/** Heartbeat of the leader tabs: a waiting tab asks, and the leader answers unless it is frozen. */
const heartbeat = { everyMs: 12_000, unanswered: 4 }
/** Before this tab waits for the lock again, which was taken from it or could not be requested. */
const requestAgainMs = 1_000

/** Runs `work` at once, in each tab for itself; returns a function that aborts its signal. */
export function withoutLeaderLock(work: LeaderWork): () => void {
  const over = new AbortController()
  work(over.signal).catch(() => {})
  return () => over.abort()
}

/**
 * Leader lock: runs `work` while this tab holds the lock; when the tab that does is closed, is outdated by a newer build, or
 * has been frozen by the system for a minute, another one gets it. If the browser has no locks, or the tabs do not share
 * the database because it is in memory, every tab leads at once.
 *
 * @param db the shared database of the tabs
 * @returns ends the work, by its signal
 */
export function withLeaderLock(lock: string, db: DeviceDatabase, work: LeaderWork): () => void {
  const over = new AbortController()
  const end = () => over.abort()
  // A page that cannot store its results yields to one that can.
  db.outdated.addEventListener('abort', end)
  if (db.outdated.aborted) end()
  const begin = async () => {
    const inMemory = await db.isInMemory().catch(() => false)
    if (over.signal.aborted) return
    if (inMemory || typeof navigator.locks === 'undefined') return work(over.signal)
    while (!over.signal.aborted) {
      await leadOnce(lock, over.signal, work).catch(() => {})
      if (!over.signal.aborted) await new Promise((resolve) => setTimeout(resolve, requestAgainMs))
    }
  }
  begin().catch(() => {})
  return () => {
    db.outdated.removeEventListener('abort', end)
    end()
  }
}

/** Waits for the lock and runs `work` under it. Returns when that has ended, or the lock was taken by another tab. */
async function leadOnce(lock: string, over: AbortSignal, work: LeaderWork): Promise<void> {
  const waiting = new AbortController()
  const leading = new AbortController()
  const end = () => {
    waiting.abort()
    leading.abort()
  }
  over.addEventListener('abort', end)
  const lead = async () => {
    stopAsking()
    const stopAnswering = answerHeartbeat(lock)
    try {
      await work(leading.signal)
    } finally {
      stopAnswering()
    }
  }
  let isStealing = false
  const stopAsking = askHeartbeat(lock, () => {
    isStealing = true
    waiting.abort()
  })
  try {
    await navigator.locks.request(lock, { signal: waiting.signal }, lead)
  } catch (error) {
    if (!isStealing || over.aborted) throw error
    await navigator.locks.request(lock, { steal: true }, lead)
  } finally {
    // Also if the lock was taken from this tab: its work must end.
    end()
    stopAsking()
    over.removeEventListener('abort', end)
  }
}

/** Asks while the page is visible, and calls back when several questions in a row stayed without an answer. */
function askHeartbeat(lock: string, onFrozen: () => void): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => {}
  const channel = new BroadcastChannel(`leader:${lock}`)
  let unanswered = 0
  channel.addEventListener('message', ({ data }) => {
    if (data === 'here') unanswered = 0
  })
  const timer = setInterval(() => {
    // A hidden page may be the next one to be frozen.
    if (document.visibilityState !== 'visible') unanswered = 0
    else if (unanswered === heartbeat.unanswered) return onFrozen()
    else {
      unanswered += 1
      channel.postMessage('there?')
    }
  }, heartbeat.everyMs)
  return () => {
    clearInterval(timer)
    channel.close()
  }
}

function answerHeartbeat(lock: string): () => void {
  if (typeof BroadcastChannel === 'undefined') return () => {}
  const channel = new BroadcastChannel(`leader:${lock}`)
  channel.addEventListener('message', ({ data }) => {
    if (data === 'there?') channel.postMessage('here')
  })
  // Others may have been about to take the lock from a frozen leader too.
  channel.postMessage('here')
  return () => channel.close()
}
