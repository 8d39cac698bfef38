import type { Failure } from './player-state.ts'

/** Asks the server, as the element reports the same error for a lost network and for a broken file. */
export async function classifyFailure(audioUrl: string): Promise<Failure> {
  try {
    const { ok, status, headers } = await fetch(audioUrl, { method: 'HEAD', cache: 'no-store' })
    // If the answer is HTML, it comes from a captive portal or proxy: the server was not reached.
    if (headers.get('content-type')?.startsWith('text/html')) return 'unreachable'
    if (ok) return 'unplayable'
    return status >= 500 || status === 429 ? 'unreachable' : 'refused'
  } catch {
    return 'unreachable'
  }
}

/**
 * Calls back once, when the server answers again: tries when the browser comes online, when the page becomes visible,
 * and with backoff. Returns the function that stops it.
 */
export function whenServerAnswers(audioUrl: string, then: () => void): () => void {
  let wait = firstWaitMs
  let timer: ReturnType<typeof setTimeout>
  let over = false
  const ask = async () => {
    clearTimeout(timer)
    const answered =
      document.visibilityState === 'visible' && (await classifyFailure(audioUrl)) !== 'unreachable'
    if (over) return
    if (answered) {
      stop()
      return then()
    }
    wait = Math.min(wait * 2, longestWaitMs)
    timer = setTimeout(askNow, wait)
  }
  const askNow = () => void ask()
  const stop = () => {
    over = true
    clearTimeout(timer)
    window.removeEventListener('online', askNow)
    document.removeEventListener('visibilitychange', askNow)
  }
  timer = setTimeout(askNow, wait)
  window.addEventListener('online', askNow)
  document.addEventListener('visibilitychange', askNow)
  return stop
}

const firstWaitMs = 3_000
const longestWaitMs = 60_000
