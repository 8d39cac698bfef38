/** A signal that ends what heard nothing for `stallMs`; `touch` says that something came. No browser does so by itself. */
export function stallWatch(stallMs: number, outer?: AbortSignal) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  let timer = setTimeout(abort, stallMs)
  outer?.addEventListener('abort', abort)
  if (outer?.aborted) abort()
  return {
    signal: controller.signal,
    touch: () => {
      clearTimeout(timer)
      timer = setTimeout(abort, stallMs)
    },
    end() {
      clearTimeout(timer)
      outer?.removeEventListener('abort', abort)
    },
  }
}
