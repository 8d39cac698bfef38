/** Listens to these events of a target. Returns a function that stops it. */
export function listen<Heard extends Event>(
  target: EventTarget,
  names: readonly string[],
  listener: (event: Heard) => void,
  options?: AddEventListenerOptions,
): () => void {
  const stop = new AbortController()
  for (const name of names)
    target.addEventListener(name, listener as EventListener, { ...options, signal: stop.signal })
  return () => stop.abort()
}
