import type { Failure } from './player-state.ts'

/** The element's own word for a failure is the same for a dead line and for a broken file, so the server is asked. */
export async function judgeFailure(audioUrl: string): Promise<Failure> {
  try {
    const { ok, status, headers } = await fetch(audioUrl, { method: 'HEAD', cache: 'no-store' })
    // A page in the place of a recording is that of a portal or a proxy: the server was not reached.
    if (headers.get('content-type')?.startsWith('text/html')) return 'no line'
    if (ok) return 'unplayable'
    return status >= 500 || status === 429 ? 'no line' : 'refused'
  } catch {
    return 'no line'
  }
}

/**
 * Calls back once, when the server answers again: asked when the browser believes to be online, when the page is
 * looked at, and now and then. Returns the way to stop.
 */
export function whenServerAnswers(audioUrl: string, then: () => void): () => void {
  let wait = firstWaitMs
  let timer: ReturnType<typeof setTimeout>
  let over = false
  const ask = async () => {
    clearTimeout(timer)
    const answered = document.visibilityState === 'visible' && (await judgeFailure(audioUrl)) !== 'no line'
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
